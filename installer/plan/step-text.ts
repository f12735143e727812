import type { InstallStep } from './step.ts';

/** A step in words, as plans and progress show it. */
export function stepText(step: InstallStep): string {
  switch (step.kind) {
    case 'test-connection':
      return `test the connection to ${new URL(step.source.url).host}`;
    case 'download':
      return `download ${step.source.url}`;
    case 'read-archive':
      return `read ${step.file}`;
    case 'verify':
      return 'verify the archive';
    case 'make-folder':
      return `create the directory ${step.path}`;
    case 'place-program':
      return `${step.replaces ? 'replace' : 'install'} the program ${step.path}${'file' in step.from ? ` from ${step.from.file}` : ''}`;
    case 'write-file':
      return `write ${step.path}`;
    case 'write-units':
      return `write ${step.without.map(({ path }) => path).join(', ')}`;
    case 'reload':
      return 'reload the service manager';
    case 'test-hook':
      return step.token === undefined ? 'call the server' : 'call the test hook';
    case 'keep':
      return `keep ${step.what} ${step.path} as ${step.as}${filesText(step.files)}`;
    case 'delete':
      return `delete ${step.what} ${step.path}`;
    case 'tidy':
      return 'remove the old program';
    case 'restart':
      return `restart ${step.unit}`;
    default:
      return `${step.kind} ${step.units.join(', ')}`;
  }
}

function filesText(files: readonly string[]): string {
  return files.length === 0 ? '' : `, with your files: ${files.join(', ')}`;
}
