/** What rclone asks for: read and write everything, find sites, and be renewed. */
export const ALL_SCOPES =
  'Files.Read Files.ReadWrite Files.Read.All Files.ReadWrite.All Sites.Read.All offline_access';
