import type { ContentBuilder } from './file-content.ts';
import type { ConflictBehavior } from './graph-call.ts';
import type { ItemAddress } from './item-address.ts';

/** An upload in fragments. */
export interface UploadSession {
  readonly id: string;
  readonly address: ItemAddress;
  readonly name: string | undefined;
  readonly behavior: ConflictBehavior;
  readonly times: { created?: number; modified?: number; description?: string };
  readonly ifMatch: string | undefined;
  readonly deferCommit: boolean;
  /** What was received so far. */
  readonly received: ContentBuilder;
  /** Known from the first fragment on. */
  total: number | undefined;
  /** In milliseconds. */
  expires: number;
}
