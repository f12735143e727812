import { connect } from 'node:net';

/** What a load came to. */
export interface LoadResult {
  readonly perSecond: number;
  /** Milliseconds from a request to its answer, of which 99 in 100 were faster. */
  readonly p99: number;
  /** Answers whose status was not the wanted one. */
  readonly wrong: number;
}

/** What is sent, and how. */
export interface Load {
  readonly port: number;
  readonly request: Buffer;
  /** Status of a right answer. */
  readonly status: number;
  readonly connections: number;
  readonly requests: number;
}

/** Sends requests over some connections, on each the next when the last was answered. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const times: number[] = [];
  const counts = { sent: 0, wrong: 0 };
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: load.connections }, () => useConnection(load, times, counts)),
  );
  const seconds = (performance.now() - begin) / 1000;
  times.sort((a, b) => a - b);
  return {
    perSecond: times.length / seconds,
    p99: times[Math.floor(times.length * 0.99)] ?? Number.NaN,
    wrong: counts.wrong,
  };
}

function useConnection(
  { port, request, status, requests }: Load,
  times: number[],
  counts: { sent: number; wrong: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    let answer = '';
    let sentAt = 0;
    const send = () => {
      if (counts.sent >= requests) {
        socket.destroy();
        resolve();
        return;
      }
      counts.sent++;
      answer = '';
      sentAt = performance.now();
      socket.write(request);
    };
    socket.setEncoding('latin1');
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('data', (piece: string) => {
      answer += piece;
      if (!isWhole(answer)) return;
      times.push(performance.now() - sentAt);
      if (!answer.startsWith(`HTTP/1.1 ${status} `)) counts.wrong++;
      send();
    });
  });
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /\r\nContent-Length: (\d+)/.exec(answer.slice(0, end))?.[1];
  return length !== undefined && answer.length >= end + 4 + Number(length);
}
