import type { CommandSummary } from '../src/shell/command-line/command.ts';
import { ABOUT_COMMANDS } from './about/command.ts';
import { APPLY_COMMANDS } from './apply/command.ts';
import { BACKEND_COMMANDS } from './backend/command.ts';
import { BISYNC_COMMANDS } from './bisync/command.ts';
import { CAT_COMMANDS } from './cat/command.ts';
import { CHECK_COMMANDS } from './check/command.ts';
import { COMPLETE_COMMANDS } from './complete/command.ts';
import { CONFIG_COMMANDS } from './config/command.ts';
import { COPY_COMMANDS } from './copy/command.ts';
import { COPYURL_COMMANDS } from './copyurl/command.ts';
import { DEDUPE_COMMANDS } from './dedupe/command.ts';
import { DELETE_COMMANDS } from './delete/command.ts';
import { DEMO_COMMANDS } from './demo/command.ts';
import { DIRECTORIES_COMMANDS } from './directories/command.ts';
import { DOCTOR_COMMANDS } from './doctor/command.ts';
import { GENERATE_COMMANDS } from './generate/command.ts';
import { GUARD_COMMANDS } from './guard/command.ts';
import { HASHSUM_COMMANDS } from './hashsum/command.ts';
import { HELP_COMMANDS } from './help/command.ts';
import { HISTORY_COMMANDS } from './history/command.ts';
import { HOME_COMMANDS } from './home/command.ts';
import { HOOKS_COMMANDS } from './hooks/command.ts';
import { SAVED_JOB_COMMANDS } from './job/command.ts';
import { LINK_COMMANDS } from './link/command.ts';
import { LIST_COMMANDS } from './list/command.ts';
import { MOUNT_COMMANDS } from './mount/command.ts';
import { NCDU_COMMANDS } from './ncdu/command.ts';
import { PS_COMMANDS } from './ps/command.ts';
import { RCAT_COMMANDS } from './rcat/command.ts';
import { REMOTES_COMMANDS } from './remotes/command.ts';
import { SCRUB_COMMANDS } from './scrub/command.ts';
import { SERVE_COMMANDS } from './serve/command.ts';
import { SETTIER_COMMANDS } from './settier/command.ts';
import { TOUCH_COMMANDS } from './touch/command.ts';
import { TRASH_COMMANDS } from './trash/command.ts';
import { UNDO_COMMANDS } from './undo/command.ts';
import { UPLOADS_COMMANDS } from './uploads/command.ts';
import { VERSION_COMMANDS } from './version/command.ts';
import { VERSIONS_COMMANDS } from './versions/command.ts';
import { WHY_COMMANDS } from './why/command.ts';

/** Every command: its usage, and how to load it. */
export const COMMANDS: readonly CommandSummary[] = [
  ...COPY_COMMANDS,
  ...BISYNC_COMMANDS,
  ...APPLY_COMMANDS,
  ...SAVED_JOB_COMMANDS,
  ...WHY_COMMANDS,
  ...GUARD_COMMANDS,
  ...CHECK_COMMANDS,
  ...HISTORY_COMMANDS,
  ...UNDO_COMMANDS,
  ...TRASH_COMMANDS,
  ...SCRUB_COMMANDS,
  ...LIST_COMMANDS,
  ...NCDU_COMMANDS,
  ...CAT_COMMANDS,
  ...RCAT_COMMANDS,
  ...COPYURL_COMMANDS,
  ...HASHSUM_COMMANDS,
  ...DIRECTORIES_COMMANDS,
  ...DELETE_COMMANDS,
  ...TOUCH_COMMANDS,
  ...ABOUT_COMMANDS,
  ...LINK_COMMANDS,
  ...SETTIER_COMMANDS,
  ...DEDUPE_COMMANDS,
  ...VERSIONS_COMMANDS,
  ...UPLOADS_COMMANDS,
  ...BACKEND_COMMANDS,
  ...REMOTES_COMMANDS,
  ...SERVE_COMMANDS,
  ...CONFIG_COMMANDS,
  ...PS_COMMANDS,
  ...MOUNT_COMMANDS,
  ...HOOKS_COMMANDS,
  ...DOCTOR_COMMANDS,
  ...GENERATE_COMMANDS,
  ...HOME_COMMANDS,
  ...DEMO_COMMANDS,
  ...VERSION_COMMANDS,
  ...HELP_COMMANDS,
  ...COMPLETE_COMMANDS,
];
