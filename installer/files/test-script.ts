/** By this line the installer knows its own script again. */
export const SCRIPT_MARK = '# Written by webhook-installer.';

/** `test.sh`: what the hook "test" runs. The log lies in the folder that the hook runs it in. */
export const TEST_SCRIPT = `#!/bin/sh
${SCRIPT_MARK}
# Run by the hook "test": adds a line with the time to test.log in the current directory.
echo "$(date '+%Y-%m-%d %H:%M:%S') test hook called" >>test.log
`;
