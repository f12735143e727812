import type { WriteSource } from '../../../core/remote.ts';

/** A file to write, with what is known of it and where it goes. */
export interface ObjectUpload {
  readonly source: WriteSource;
  readonly bucket: string;
  readonly key: string;
  /** Known before the content is read, in hexadecimal. */
  readonly md5: string | undefined;
}
