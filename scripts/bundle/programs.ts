/** The programs that are built: name of the file in `dist` without its extension, and where its code begins. */
export const PROGRAMS: Readonly<Record<string, string>> = {
  syncer: 'src/main.ts',
  webhook: 'src/webhook.ts',
  'webhook-installer': 'installer/main.ts',
};
