import type { OptionExample, SetUpQuestion } from '../../../core/options.ts';
import type { ListedDrive, ListedSite } from './listed-drives.ts';

/** An example of a site's URL. */
const SITE = 'https://contoso.sharepoint.com/sites/mysite';

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
    { value: 'url', help: `Sharepoint site name or URL\nE.g. mysite or ${SITE}` },
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
  url: input('config_site_url', `Site name or URL: "mysite", "${SITE}".`),
  path: input('config_sharepoint_url', 'Server-relative path of the site: "/teams/hr".'),
  search: input('config_search_term', 'What to search sites for.'),
} as const;

/** The question for one of the drives found. */
export function whichDrive(drives: readonly ListedDrive[]): SetUpQuestion {
  const examples = drives.map(({ id, name, type }) => ({ value: id, help: `${name} (${type})` }));
  return choice('config_driveid', 'Select drive you want to use.', examples);
}

/** The question for one of the sites found. */
export function whichSite(sites: readonly ListedSite[]): SetUpQuestion {
  const examples = sites.map(({ id, name, url }) => ({ value: id, help: `${name} (${url})` }));
  const question = choice('config_site', 'Select the site you want to use.', examples);
  return { ...question, exclusive: true };
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

function choice(name: string, help: string, examples: readonly OptionExample[]): SetUpQuestion {
  return { ...input(name, help), default: examples[0]?.value ?? '', examples };
}
