import { STATUS_CODES } from 'node:http';

/** What Go calls otherwise than Node, or does not know. */
const OWN: Readonly<Record<number, string | undefined>> = {
  413: 'Request Entity Too Large',
  414: 'Request URI Too Long',
  416: 'Requested Range Not Satisfiable',
  418: "I'm a teapot",
  509: undefined,
};

/** The text that Go knows for a status; hooks can use only those that have one. */
export function statusText(status: number): string | undefined {
  return status in OWN ? OWN[status] : STATUS_CODES[status];
}
