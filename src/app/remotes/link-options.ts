import type { FixedOptions } from '../../config/resolve-options.ts';

/** Options of a local disk, whatever else says of them: symbolic links stand for what they lead to. */
export const FOLLOW_LINKS: FixedOptions = { copy_links: 'true', links: 'false' };

/** As `FOLLOW_LINKS`: symbolic links are left out. */
export const SKIP_LINKS: FixedOptions = { copy_links: 'false', links: 'false' };

/** As `FOLLOW_LINKS`: symbolic links are files of their own. */
export const LIST_LINKS: FixedOptions = { copy_links: 'false', links: 'true' };
