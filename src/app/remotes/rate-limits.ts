import {
  type BandwidthTimetable,
  bandwidthAt,
  parseBandwidth,
} from '../../core/bandwidth-timetable.ts';
import { formatSize } from '../../core/byte-size.ts';
import type { Clock, Context } from '../../core/context.ts';
import { TokenBucket } from '../../core/token-bucket.ts';
import type { Bandwidth, Route } from '../../sync/run.ts';

/** What gathers of unused bandwidth, in bytes: rclone's figure. */
const BANDWIDTH_BURST = 4 * 1024 * 1024;

/** How often the timetable is looked at, in milliseconds. */
const TIMETABLE_TICK_MS = 60_000;

/** `--tpslimit`: waits until the next request may go out. */
export function transactionLimit(
  perSecond: number,
  burst: number,
  clock: Clock,
): (signal: AbortSignal) => Promise<void> {
  const bucket = new TokenBucket({ rate: perSecond, burst: Math.max(1, burst), clock });
  return (signal) => bucket.take(1, signal);
}

/**
 * `--bwlimit` for all transfers together and `--bwlimit-file` for each file. Throws `usage` for a value that is
 * none.
 */
export function bandwidthLimit(
  ofAll: string | undefined,
  ofFile: string | undefined,
  context: Context,
): Bandwidth {
  const all = ofAll === undefined ? NO_LIMIT : limitOfAll(ofAll, context);
  if (!ofFile) return { ...all, ofFile: () => all };
  const timetable = parseBandwidth(ofFile);
  return {
    ...all,
    ofFile() {
      const own = limitOfFile(timetable, context.clock);
      return {
        async take(bytes, route, taking) {
          await all.take(bytes, route, taking);
          await own.take(bytes, route, taking);
        },
      };
    },
  };
}

type Limit = Pick<Bandwidth, 'take'>;

const NO_LIMIT: Limit = { take: async () => {} };

/** The rate that the timetable has when the file begins. Uploads come first where there are two. */
function limitOfFile(timetable: BandwidthTimetable, clock: Clock): Limit {
  const { upload, download } = bandwidthAt(timetable, new Date(clock.now()));
  const bucketOf = (rate: number | undefined) =>
    rate === undefined
      ? undefined
      : new TokenBucket({ rate, burst: BANDWIDTH_BURST, clock, empty: true });
  const [up, down] = [bucketOf(upload), bucketOf(download)];
  const bucketFor = (route: Route) => (upload === download || route.up ? up : down);
  return {
    async take(bytes, route, taking) {
      await bucketFor(route)?.take(bytes, taking);
    },
  };
}

/**
 * The rates of the timetable as the hours go by. One rate holds for all bytes, also from disk to disk; rates of
 * their own for uploads and downloads hold for what crosses the network.
 */
function limitOfAll(text: string, { clock, emit, signal }: Context): Limit {
  const timetable = parseBandwidth(text);
  const open = { rate: Number.POSITIVE_INFINITY, burst: BANDWIDTH_BURST, clock, empty: true };
  const upload = new TokenBucket(open);
  const download = new TokenBucket(open);
  let shown = '';
  let oneRate = true;
  const adjust = () => {
    const limit = bandwidthAt(timetable, new Date(clock.now()));
    upload.setRate(limit.upload ?? Number.POSITIVE_INFINITY, BANDWIDTH_BURST);
    download.setRate(limit.download ?? Number.POSITIVE_INFINITY, BANDWIDTH_BURST);
    oneRate = limit.upload === limit.download;
    const [up, down] = [limit.upload, limit.download].map((rate) => formatSize(rate ?? -1));
    const rates = oneRate ? `${up}/s` : `${up}/s up, ${down}/s down`;
    if (rates !== shown) {
      const level = shown === '' ? 'info' : 'notice';
      emit({ type: 'log', level, message: `Bandwidth is limited to ${rates}` });
    }
    shown = rates;
  };
  adjust();
  const timer = setInterval(adjust, TIMETABLE_TICK_MS).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  return {
    async take(bytes, route, taking) {
      if (oneRate || route.up) await upload.take(bytes, taking);
      if (!oneRate && route.down) await download.take(bytes, taking);
    },
  };
}
