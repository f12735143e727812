import { S3Error } from './s3-error.ts';

/** A parameter's value as the text of a header, one character a byte. Throws where no header can hold it. */
export function headerValue(text: string): string {
  const latin1 = Buffer.from(text, 'utf8').toString('latin1');
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(latin1)) throw new S3Error('InvalidArgument');
  return latin1;
}
