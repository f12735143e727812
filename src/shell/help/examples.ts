import { once } from '../../core/used-again.ts';
import { EXAMPLES } from './example-lines.ts';
import type { Row } from './help-style.ts';

/** What the help of a command ends with. */
interface Further {
  /** Command lines, each with what it does. */
  readonly examples: readonly Row[];
  /** Related commands and topics. */
  readonly see: readonly string[];
}

/** Examples and related topics by the full name of the command. */
export const furtherOn: () => ReadonlyMap<string, Further> = once(() => {
  const sections = (EXAMPLES + CONFIG_EXAMPLES).trim().split(/\n(?! )/);
  return new Map(sections.map(parseSection));
});

function parseSection(text: string): [string, Further] {
  const [head = '', ...lines] = text.split('\n');
  const [name = '', see = ''] = head.split(': ');
  const examples = lines.map((line): Row => {
    const at = line.lastIndexOf('  # ');
    return [line.slice(2, at), line.slice(at + 4)];
  });
  return [name, { examples, see: see === '' ? [] : see.split(', ') }];
}

/** The examples of `config` and its subcommands, as in `example-lines.ts`. */
const CONFIG_EXAMPLES = `config: listremotes, backends
  syncer config  # Create, edit and test remotes on screens
  syncer config show  # Print the configuration
config create: config update, backends
  syncer config create backup local  # Create a remote for local disks
  syncer config create shelf s3 provider=Other endpoint=http://127.0.0.1:9000 access_key_id=my-key secret_access_key=my-secret  # Create a remote for an S3 server
config update: config edit, backends
  syncer config update shelf endpoint=https://s3.example.com  # Set one option
  syncer config update shelf region= provider=Minio  # Clear one option, set another
config unset: config update
  syncer config unset shelf region  # Return an option to its default
  syncer config unset shelf region location_constraint  # Return two options
config new: config create, config edit
  syncer config new  # Answer questions about the new remote
  syncer config new --dry-run  # The same, without saving it
config edit: config update
  syncer config edit shelf  # Edit a remote
  syncer config edit  # Choose one from the menu
config delete
  syncer config delete shelf  # Delete the remote; its files are kept
  syncer config delete shelf --dry-run  # Show what would change
config rename
  syncer config rename shelf cellar  # Rename a remote
  syncer config rename shelf cellar --dry-run  # Show what would change
config password: obscure
  syncer config password nas pass=secret  # Set a password, obscured in the file
  syncer config password nas pass "$(pass show nas)"  # Take it from another program
config show: config dump
  syncer config show  # Print all remotes
  syncer config show shelf  # Print one remote
config redacted: config show
  syncer config redacted  # Print all remotes without secrets, to post them
  syncer config redacted shelf  # Print one remote
config string: config show
  syncer config string shelf:backup  # Print a path with all options of its remote
  syncer config string shelf,region=us-east-1:  # With another option
config dump: config show
  syncer config dump  # Print all remotes as JSON
  syncer config dump | jq 'keys'  # Print their names
config file: config paths
  syncer config file  # Print where remotes are stored
  syncer config file --config ~/other.conf  # Name another file
config paths: config file
  syncer config paths  # Print the paths
  syncer config paths --cache-dir /var/cache/syncer  # With another cache directory
config touch
  syncer config touch  # Create an empty configuration
  syncer config touch --config ~/other.conf  # Create another file
config providers: backends
  syncer config providers  # Print all options
  syncer config providers | jq -r '.[].Name'  # Print the names of the backends
config reconnect: authorize
  syncer config reconnect work-drive:  # Log in through the browser
  syncer config reconnect work-drive: --device  # Log in with a code, on any device
config disconnect: config reconnect
  syncer config disconnect work-drive:  # Delete the stored login
  syncer config disconnect work-drive: --dry-run  # Show what would change
config userinfo
  syncer config userinfo work-drive:  # Print name and address
  syncer config userinfo work-drive: --json  # Print them as JSON
config import
  syncer config import  # Import from rclone's own file
  syncer config import ~/old/rclone.conf --dry-run  # Show what would be imported
config encryption
  syncer config encryption set  # Encrypt the configuration, or change its password
  syncer config encryption check  # Exit with code 2 if it is not encrypted
`;
