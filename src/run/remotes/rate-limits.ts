import type { Clock, Context } from '../../core/context.ts';
import { TokenBucket } from '../../core/token-bucket.ts';
import {
  type BandwidthLimit,
  type BandwidthTimetable,
  bandwidthAt,
  bandwidthText,
  parseBandwidth,
} from '../../engine/bandwidth-timetable.ts';
import type { Bandwidth, Throttle } from '../../engine/run.ts';
import type { RunControl } from '../../engine/run-control.ts';
import { formatSize } from '../../go/quantities.ts';
import { logText } from '../../shell/log/log-text.ts';

/** How much unused bandwidth accumulates, in bytes, as in rclone. */
const BANDWIDTH_BURST = 4 * 1024 * 1024;

/** How often the timetable is checked, in milliseconds. */
const TIMETABLE_TICK_MS = 60_000;

/** `--tpslimit`: waits until the next request may be sent. */
export function transactionLimit(
  perSecond: number,
  burst: number,
  clock: Clock,
): (signal: AbortSignal) => Promise<void> {
  const bucket = new TokenBucket({ rate: perSecond, burst: Math.max(1, burst), clock });
  return (signal) => bucket.take(1, signal);
}

/** A limit whose unused bandwidth can be discarded; of a file, only that of its own limit. */
interface Limit extends Throttle {
  forget(): void;
}

/** A bandwidth limit that can be changed during a run. */
export interface SteeredBandwidth extends Bandwidth, Limit {
  readonly ofFile?: (() => Limit) | undefined;
  /** Limits all transfers together to this many bytes per second, whatever the flags say; Infinity: no limit. */
  limitTo(rate: number): void;
  /** The limit of all transfers together now, of both directions the lower one, in bytes per second; `undefined`: never set. */
  limit(): number | undefined;
  /** Switches the limit of all transfers together off, or on again; says so in the log, as rclone does for SIGUSR2. */
  toggle(): void;
}

/** `--bwlimit` for all transfers together and `--bwlimit-file` for each file. */
export function bandwidthLimit(
  ofAll: string | undefined,
  ofFile: string | undefined,
  context: Context,
): SteeredBandwidth {
  const all = limitOfAll(parseBandwidth(ofAll ?? 'off'), ofAll, context);
  if (ofFile === undefined) return all;
  const timetable = parseBandwidth(ofFile);
  return {
    ...all,
    isLimited: () => true,
    /** The rate at the time the file starts. For a file that is downloaded and uploaded, the upload rate. */
    ofFile() {
      const { clock } = context;
      const { upload, download } = bandwidthAt(timetable, new Date(clock.now()));
      const bucketOf = (rate: number | undefined) =>
        rate === undefined
          ? undefined
          : new TokenBucket({ rate, burst: BANDWIDTH_BURST, clock, empty: true });
      const [up, down] = [bucketOf(upload), bucketOf(download)];
      return {
        async take(bytes, route, taking) {
          await all.take(bytes, route, taking);
          await (upload === download || route.up ? up : down)?.take(bytes, taking);
        },
        forget() {
          up?.empty();
          down?.empty();
        },
      };
    },
  };
}

/** The same limit, blocking while the run is paused. A pause gathers no unused bandwidth. */
export function pausable(
  bandwidth: SteeredBandwidth,
  control: Pick<RunControl, 'ready' | 'pauses'>,
): Bandwidth {
  const forgetting = ({ forget }: Pick<Limit, 'forget'>) => {
    let known = control.pauses.begun;
    return () => {
      if (known !== control.pauses.begun) forget();
      known = control.pauses.begun;
    };
  };
  const forgetOfAll = forgetting(bandwidth);
  const { ofFile } = bandwidth;
  const pausing = (limit: Throttle, forget = () => {}): Throttle => {
    const passed = async (...[bytes, route, taking]: Parameters<Bandwidth['take']>) => {
      let pause = control.ready(taking);
      do {
        await pause;
        forgetOfAll();
        forget();
        await limit.take(bytes, route, taking);
        // What the limit let through during a pause is counted again.
        pause = control.ready(taking);
      } while (pause !== undefined);
    };
    return {
      take: (...args) =>
        bandwidth.isLimited() || control.pauses.current !== undefined ? passed(...args) : AT_ONCE,
    };
  };
  return {
    ...pausing(bandwidth),
    isLimited: () => bandwidth.isLimited(),
    ofFile:
      ofFile &&
      (() => {
        const own = ofFile();
        return pausing(own, forgetting(own));
      }),
  };
}

const AT_ONCE = Promise.resolve();
const NO_LIMIT: BandwidthLimit = { upload: undefined, download: undefined };

/** A limit as `--bwlimit` takes it: `1Mi`, `1Mi:off`. */
function rateText(upload: number | undefined, download: number | undefined): string {
  const rates = upload === download ? [upload] : [upload, download];
  return rates.map((rate) => formatSize(rate ?? -1)).join(':');
}

/**
 * The rates of the timetable over time. A single rate applies to all bytes, also between disks; separate rates for
 * uploads and downloads apply to network traffic.
 */
function limitOfAll(
  timetable: BandwidthTimetable,
  text: string | undefined,
  { clock, emit, signal }: Context,
): Omit<SteeredBandwidth, 'ofFile'> {
  const open = { rate: Number.POSITIVE_INFINITY, burst: BANDWIDTH_BURST, clock, empty: true };
  const upload = new TokenBucket(open);
  const download = new TokenBucket(open);
  let shown = '';
  let chosen: number | undefined;
  let oneRate = true;
  let isOff = false;
  const limitWhenOn = (): BandwidthLimit => {
    if (chosen === undefined) return bandwidthAt(timetable, new Date(clock.now()));
    const rate = chosen === Number.POSITIVE_INFINITY ? undefined : chosen;
    return { upload: rate, download: rate };
  };
  const limitNow = () => (isOff ? NO_LIMIT : limitWhenOn());
  const adjust = () => {
    const limit = limitNow();
    upload.setRate(limit.upload ?? Number.POSITIVE_INFINITY, BANDWIDTH_BURST);
    download.setRate(limit.download ?? Number.POSITIVE_INFINITY, BANDWIDTH_BURST);
    oneRate = limit.upload === limit.download;
    const rates = bandwidthText(limitWhenOn());
    const later = isOff ? ' when the limit is on again' : '';
    if (rates !== shown && (text !== undefined || chosen !== undefined))
      emit(logText(shown === '' ? 'info' : 'notice', `Bandwidth is ${rates}${later}`));
    shown = rates;
  };
  adjust();
  const timer = setInterval(adjust, TIMETABLE_TICK_MS).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  const isLimited = () =>
    chosen === undefined ? text !== undefined : chosen !== Number.POSITIVE_INFINITY;
  return {
    isLimited,
    limit() {
      if (chosen === undefined && text === undefined) return undefined;
      const { upload = Infinity, download = Infinity } = limitNow();
      return Math.min(upload, download);
    },
    limitTo(rate) {
      chosen = rate;
      isOff = false;
      adjust();
    },
    toggle() {
      const { upload, download } = limitWhenOn();
      if (upload === undefined && download === undefined) {
        emit(logText('debug', 'SIGUSR2 is ignored: no bandwidth limit is set'));
        return;
      }
      isOff = !isOff;
      adjust();
      const now = isOff ? 'off' : rateText(upload, download);
      emit(
        logText('notice', `Bandwidth limit ${isOff ? 'disabled' : 'enabled'} by user (now ${now})`),
      );
    },
    async take(bytes, route, taking) {
      if (!isLimited()) return;
      if (oneRate || route.up) await upload.take(bytes, taking);
      if (!oneRate && route.down) await download.take(bytes, taking);
    },
    forget() {
      upload.empty();
      download.empty();
    },
  };
}
