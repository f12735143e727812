/** What is asked for unless something else is wanted: read and write all files, be renewed, and know who it is. */
export const DEFAULT_SCOPES =
  'Files.Read Files.ReadWrite Files.Read.All Files.ReadWrite.All offline_access User.Read';

/** What rclone asks for: with it SharePoint sites can be searched. */
export const SCOPES_WITH_SITES =
  'Files.Read Files.ReadWrite Files.Read.All Files.ReadWrite.All Sites.Read.All offline_access';
