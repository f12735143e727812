import { createHmac } from 'node:crypto';

/** One line of the table. Every answer is a 200. */
export interface HookRow {
  readonly name: string;
  readonly request: Buffer;
  readonly connections: number;
  readonly requests: number;
  /** It starts so many commands as there are requests; what is told is how many of them begin in a second. */
  readonly commands?: boolean;
}

const token = (source: string, name: string) => ({
  match: { type: 'value', value: 'a-long-token', parameter: { source, name } },
});
const signed = {
  match: {
    type: 'payload-hmac-sha256',
    secret: 'key',
    parameter: { source: 'header', name: 'X-Hub-Signature-256' },
  },
};

/** The hooks that the rows ask for. */
export const BENCH_HOOKS = [
  { id: 'token', 'execute-command': '/bin/true', 'trigger-rule': token('url', 'token') },
  {
    id: 'judged',
    'execute-command': '/bin/true',
    'trigger-rule': { and: [signed, token('payload', 'ref')] },
  },
  { id: 'output', 'execute-command': '/bin/true', 'include-command-output-in-response': true },
];

const body = JSON.stringify({ ref: 'refs/heads/main', text: 'x'.repeat(1000 - 36) });
const signature = createHmac('sha256', 'key').update(body).digest('hex');

const get = (path: string) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`);
const post = (path: string) =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nX-Hub-Signature-256: sha256=${signature}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
const judged = { connections: 64, requests: 200_000 };
const run = { connections: 16, requests: 3_000 };

/** All rows. */
export const HOOK_ROWS: readonly HookRow[] = [
  { name: 'refused token', request: get('/hooks/token?token=wrong'), ...judged },
  {
    name: 'signature of a body of 1 KB is right, another condition says no',
    request: post('/hooks/judged'),
    ...judged,
  },
  {
    name: 'rule matches, /bin/true runs beside the answer',
    request: get('/hooks/token?token=a-long-token'),
    ...run,
    commands: true,
  },
  { name: 'answer holds the output of /bin/true', request: get('/hooks/output'), ...run },
];
