import type { FixedOptions } from '../../config/resolve-options.ts';

/** Local options that override all others: follow symbolic links. */
export const FOLLOW_LINKS: FixedOptions = { copy_links: 'true', links: 'false' };

/** As `FOLLOW_LINKS`: skip symbolic links. */
export const SKIP_LINKS: FixedOptions = { copy_links: 'false', links: 'false' };

/** As `FOLLOW_LINKS`: list symbolic links as files. */
export const LIST_LINKS: FixedOptions = { copy_links: 'false', links: 'true' };
