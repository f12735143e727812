import { readWhole } from '../../../http/read-whole.ts';
import { refuseWebPage } from '../store-error.ts';
import { type OpenAnswer, type S3Answer, type S3Request, whereOf } from './request.ts';

/** No answer that is read whole is larger, in bytes: a page of 1,000 keys of 1,024 bytes URL-encoded fits. */
const LARGEST_ANSWER = 64 * 1024 ** 2;

/** The answer with its body. Rejects with `bad-answer` for a web page, with `body-cut` for less than the whole. */
export async function wholeAnswer(answer: OpenAnswer, request: S3Request): Promise<S3Answer> {
  const { status, headers } = answer;
  const body = await readWhole(answer, LARGEST_ANSWER);
  refuseWebPage(headers, body, `${request.doing} ${whereOf(request)}`);
  return { status, headers, body };
}
