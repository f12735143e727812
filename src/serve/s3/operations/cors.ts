import type { IncomingHttpHeaders } from 'node:http';
import { childrenNamed, childText } from '../../../backends/s3-protocol/read-xml.ts';
import { readRequestXml } from '../body/payload.ts';
import type { BucketStore } from '../store/bucket-store.ts';
import { S3Error } from '../wire/s3-error.ts';
import { header } from './call.ts';

/** Reads a CORS configuration: what pages of other origins may do with a bucket. Throws `MalformedXML`, and `InvalidRequest` for an unsupported method. */
export async function readCorsRules(text: string) {
  const root = await readRequestXml(text);
  const rules = childrenNamed(root, 'CORSRule').map((rule) => {
    const texts = (name: string) => childrenNamed(rule, name).map((each) => each.text.trim());
    return {
      origins: texts('AllowedOrigin'),
      methods: texts('AllowedMethod'),
      headers: texts('AllowedHeader'),
      exposed: texts('ExposeHeader'),
      maxAgeSeconds: childText(rule, 'MaxAgeSeconds')?.trim(),
    };
  });
  const isWhole = rules.every(
    ({ origins, methods, exposed, maxAgeSeconds = '0' }) =>
      origins.length > 0 &&
      methods.length > 0 &&
      /^\d{1,10}$/.test(maxAgeSeconds) &&
      [...origins, ...exposed].every((each) => /^[\x21-\x7e]+$/.test(each)),
  );
  if (root.name !== 'CORSConfiguration' || rules.length === 0 || !isWhole) {
    throw new S3Error('MalformedXML');
  }
  const known = ['GET', 'PUT', 'HEAD', 'POST', 'DELETE'];
  const unknown = rules.flatMap((rule) => rule.methods).find((each) => !known.includes(each));
  if (unknown !== undefined) {
    const text = `Found unsupported HTTP method in CORS config. Unsupported method is ${unknown}`;
    throw new S3Error('InvalidRequest', text);
  }
  return rules;
}

/** The headers of the first matching rule; `undefined` if none matches. `headers`: the names of those to be sent. */
export function corsAnswer(
  rules: Awaited<ReturnType<typeof readCorsRules>>,
  question: { origin: string; method: string; headers: string },
): Record<string, string> | undefined {
  const wanted = question.headers.split(',').map((each) => each.trim().toLowerCase());
  const named = wanted.filter((each) => each !== '');
  const rule = rules.find(
    ({ origins, methods, headers }) =>
      methods.includes(question.method) &&
      origins.some((pattern) => fits(pattern, question.origin)) &&
      named.every((name) => headers.some((pattern) => fits(pattern.toLowerCase(), name))),
  );
  if (rule === undefined) return undefined;
  const anybody = rule.origins.includes('*');
  return {
    'access-control-allow-origin': anybody ? '*' : question.origin,
    'access-control-allow-methods': rule.methods.join(', '),
    ...(anybody ? {} : { 'access-control-allow-credentials': 'true' }),
    ...(named.length > 0 && { 'access-control-allow-headers': named.join(', ') }),
    ...(rule.exposed.length > 0 && { 'access-control-expose-headers': rule.exposed.join(', ') }),
    ...(rule.maxAgeSeconds && { 'access-control-max-age': rule.maxAgeSeconds }),
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  };
}

/** `*` stands for any text. */
function fits(pattern: string, text: string): boolean {
  const [start = '', ...rest] = pattern.split('*');
  const end = rest.pop();
  if (end === undefined) return pattern === text;
  if (rest.length > 0 || text.length < start.length + end.length) return false;
  return text.startsWith(start) && text.endsWith(end);
}

/** The headers that the CORS configuration of a bucket permits for the page of a request. */
export async function corsHeaders(
  store: BucketStore,
  bucketName: string,
  method: string,
  headers: IncomingHttpHeaders,
): Promise<Record<string, string> | undefined> {
  const { origin } = headers;
  if (origin === undefined || bucketName === '') return undefined;
  const bucket = await store.get(bucketName).catch(() => undefined);
  const text = bucket?.settings.documents?.['cors'];
  if (text === undefined) return undefined;
  const asked = header(headers, 'access-control-request-method') ?? method;
  const names = header(headers, 'access-control-request-headers') ?? '';
  return corsAnswer(await readCorsRules(text), { origin, method: asked, headers: names });
}
