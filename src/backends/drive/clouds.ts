/** Where a national cloud is reached. */
export interface Cloud {
  /** The Graph API with its version. */
  readonly graph: string;
  /** Where people and programs log in. */
  readonly login: string;
}

/** Microsoft's clouds by rclone's names. */
export const CLOUDS: Readonly<Record<string, Cloud>> = {
  global: {
    graph: 'https://graph.microsoft.com/v1.0',
    login: 'https://login.microsoftonline.com',
  },
  us: { graph: 'https://graph.microsoft.us/v1.0', login: 'https://login.microsoftonline.us' },
  de: { graph: 'https://graph.microsoft.de/v1.0', login: 'https://login.microsoftonline.de' },
  cn: {
    graph: 'https://microsoftgraph.chinacloudapi.cn/v1.0',
    login: 'https://login.chinacloudapi.cn',
  },
};
