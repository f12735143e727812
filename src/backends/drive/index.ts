import { isReference } from '../../system/secret-reference.ts';
import type { Backend } from '../backend.ts';
import { DRIVE_OPTIONS } from './options.ts';

/** How a person gets an application of their own; docs/onedrive.md has the same with more words. */
const ABOUT = `
Logins need an application that you register once with Microsoft; syncer has none of its own.
1. Open https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps and choose New registration.
2. Enter any name, and choose accounts in any organizational directory and personal Microsoft accounts.
3. As redirect URI choose Web, enter http://localhost:53682/ and choose Register.
4. Copy the Application (client) ID: it is the client_id.
5. At Certificates & secrets, create a client secret and copy its Value: it is the client_secret.
6. At API permissions, add these delegated permissions of Microsoft Graph: Files.Read, Files.ReadWrite, Files.Read.All, Files.ReadWrite.All, offline_access, User.Read.
7. Run: syncer config update NAME client_id=ID client_secret=SECRET
8. Run: syncer config reconnect NAME:

Without a client_id, a remote of the configuration is opened through an installed rclone (1.70 or newer), whose own
application logs in; without rclone it works until its login expires, after about an hour.`;

/** Microsoft's drives: OneDrive for people, for organisations, and the document libraries of SharePoint. */
export const drive: Backend = {
  type: 'drive_provider_a',
  aliases: ['onedrive'],
  group: 'Microsoft drives',
  summary: 'Microsoft OneDrive, personal and business, and SharePoint document libraries',
  about: ABOUT.trim(),
  options: DRIVE_OPTIONS,
  firstOptions: [{ name: 'client_id' }, { name: 'client_secret' }],
  login: { finds: ['drive_type', 'drive_id'] },
  // Only rclone can renew a login of its own application. It would replace a reference by the renewed login.
  isLeftToRclone: ({ client_id, native = '', graph_url, token = '' }) =>
    !client_id && !graph_url && !isReference(token) && /^(?:false|f|0)?$/i.test(native),
  load: () => import('./open-drive.ts'),
};
