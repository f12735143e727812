import type { SetUpQuestion } from '../../../core/options.ts';
import type { ListedDrive, ListedSite } from './listed-drives.ts';

/** The question for the type of connection; the words are rclone's. */
export const CONNECTION: SetUpQuestion = {
  name: 'config_type',
  type: 'string',
  default: 'onedrive',
  help: 'Type of connection.',
  exclusive: true,
  examples: [
    { value: 'onedrive', help: 'OneDrive Personal or Business' },
    { value: 'sharepoint', help: 'Root Sharepoint site' },
    {
      value: 'url',
      help: 'Sharepoint site name or URL\nE.g. mysite or https://contoso.sharepoint.com/sites/mysite',
    },
    { value: 'search', help: 'Search for a Sharepoint site' },
    { value: 'driveid', help: 'Type in driveID (advanced)' },
    { value: 'siteid', help: 'Type in SiteID (advanced)' },
    { value: 'path', help: 'Sharepoint server-relative path (advanced)\nE.g. /teams/hr' },
  ],
};

/** Questions for a text that identifies the drive. */
export const TYPED = {
  driveid: input('config_driveid_fixed', 'Drive ID.'),
  siteid: input('config_siteid', 'Site ID.'),
  url: input(
    'config_site_url',
    'Site name or URL: "mysite", "https://contoso.sharepoint.com/sites/mysite".',
  ),
  path: input('config_sharepoint_url', 'Server-relative path of the site: "/teams/hr".'),
  search: input('config_search_term', 'What to search sites for.'),
} as const;

/** The question for one of the drives found. */
export function whichDrive(drives: readonly ListedDrive[]): SetUpQuestion {
  return {
    name: 'config_driveid',
    type: 'string',
    default: drives[0]?.id ?? '',
    help: 'Select drive you want to use.',
    required: true,
    examples: drives.map(({ id, name, type }) => ({ value: id, help: `${name} (${type})` })),
  };
}

/** The question for one of the sites found. */
export function whichSite(sites: readonly ListedSite[]): SetUpQuestion {
  return {
    name: 'config_site',
    type: 'string',
    default: sites[0]?.id ?? '',
    help: 'Select the site you want to use.',
    required: true,
    exclusive: true,
    examples: sites.map(({ id, name, url }) => ({ value: id, help: `${name} (${url})` })),
  };
}

/** The question whether it is the right drive. */
export function isRight({ name, type, url }: ListedDrive): SetUpQuestion {
  return {
    name: 'config_drive_ok',
    type: 'bool',
    default: 'true',
    help: `Drive OK?\n\nFound drive "${name}" of type "${type}"\nURL: ${url}`,
    exclusive: true,
    isConfirmation: true,
    examples: [
      { value: 'true', help: 'Yes' },
      { value: 'false', help: 'No' },
    ],
  };
}

function input(name: string, help: string): SetUpQuestion {
  return { name, type: 'string', help, required: true };
}
