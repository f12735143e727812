import type { Backend } from '../backend.ts';
import { DRIVE_OPTIONS } from './options.ts';

/** Microsoft's drives: OneDrive for people, for organisations, and the document libraries of SharePoint. */
export const drive: Backend = {
  type: 'drive_provider_a',
  aliases: ['onedrive'],
  group: 'Microsoft drives',
  summary: 'Microsoft OneDrive, personal and business, and SharePoint document libraries',
  options: DRIVE_OPTIONS,
  firstOptions: [{ name: 'client_id' }, { name: 'client_secret' }],
  login: { finds: ['drive_type', 'drive_id'] },
  load: () => import('./open-drive.ts'),
};
