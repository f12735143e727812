/** What `hardenedTrial` must show. */
export const HARDENED_RESULT = `install --hardened: 0
  call the test hook: test success!
socket: active enabled
service: active
answer: test success!
exposure: OK
answer while it restarts: test success!
restarts: 1
answer after a change: new hooks
uninstall: 0
left: nothing, hook files kept: 1
`;

/**
 * Installs the server from `/trial/webhook.tar.gz` with `/trial/webhook-installer`, hardened, in a system that systemd
 * runs; a line for each thing that was seen.
 *
 * @param node the folder of a Node, for requests
 * @param root the project's folder, whose own files do not count
 */
export const hardenedTrial = (node: string, root: string) => `
export PATH=${node}:/usr/sbin:/usr/bin:/sbin:/bin
rm -rf /usr/bin/webhook /etc/webhook.conf /lib/systemd/system/webhook.* /var/lib/dpkg/info/webhook.*
find /etc/systemd /var/lib/systemd -name 'webhook*' -delete
systemctl daemon-reload
cd /opt
chmod 755 /trial/webhook-installer
I=/trial/webhook-installer
U=http://127.0.0.1:9191/hooks/test?token
get() { node -e 'fetch(process.argv[1]).then(async (a) => console.log((await a.text()).trim()), () => console.log("no answer"))' "$1"; }
show() { systemctl show -P "$1" webhook.service; }
files() { find / -xdev -name '*webhook*' ! -path '/proc/*' ! -path '/trial/*' ! -path '${root}/*' | sort; }
left() {
  kept=$(ls /etc | grep -c '^webhook.conf.removed-')
  rm -f /etc/webhook.conf.removed-*
  files | diff /trial/before - && echo "left: nothing, hook files kept: $kept"
}
files >/trial/before
$I install --yes --hardened --archive /trial/webhook.tar.gz --token secret >/trial/install 2>&1
echo "install --hardened: $?"
grep 'test success!' /trial/install || cat /trial/install
echo "socket: $(systemctl is-active webhook.socket) $(systemctl is-enabled webhook.socket)"
echo "service: $(systemctl is-active webhook)"
echo "answer: $(get $U=secret)"
echo "exposure: $(systemd-analyze security --no-pager webhook | grep -o 'OK')"
kill -9 $(show MainPID)
echo "answer while it restarts: $(get $U=secret)"
echo "restarts: $(show NRestarts)"
sed 's/test success!/new hooks/' /etc/webhook.conf >/trial/hooks && cat /trial/hooks >/etc/webhook.conf
until [ "$(get $U=secret)" = 'new hooks' ]; do sleep 0.2; done
echo "answer after a change: $(get $U=secret)"
$I uninstall --yes >/trial/uninstall 2>&1; echo "uninstall: $?"
left
`;
