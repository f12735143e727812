// Loaded into the processes of tests on a slow machine: each program that they start takes 50 ms longer to start.
import childProcess, { ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

const DELAY_MS = 50;
const never = new Int32Array(new SharedArrayBuffer(4));

const late = (start) =>
  function startLate(...args) {
    Atomics.wait(never, 0, 0, DELAY_MS);
    return start.apply(this, args);
  };

ChildProcess.prototype.spawn = late(ChildProcess.prototype.spawn);
for (const name of ['spawnSync', 'execFileSync', 'execSync'])
  childProcess[name] = late(childProcess[name]);
syncBuiltinESMExports();
