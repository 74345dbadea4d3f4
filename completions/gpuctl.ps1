# PowerShell completion for gpuctl. Made by `npm run generate`; do not edit.

Register-ArgumentCompleter -Native -CommandName gpuctl -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)

  # By path: the words that may follow, with what they mean.
  $commands = @{
    '' = @(
      ,@('setup', 'Set gpuctl up, step by step')
      ,@('rentals', 'Rent GPUs: virtual machines and bare metal')
      ,@('volumes', 'Storage volumes')
      ,@('reserve', 'Reserved terms')
      ,@('user', 'The current user')
      ,@('image', 'Generate pictures')
      ,@('chat', 'Chat with a model')
      ,@('tts', 'Turn text into speech')
      ,@('api', 'Call any operation of the service')
      ,@('auth', 'API keys')
      ,@('profile', 'Profiles: an account or the sandbox each')
      ,@('config', 'Defaults of a profile')
      ,@('doctor', 'Check the installation')
      ,@('sandbox', 'The whole service on this machine')
      ,@('completion', 'Shell completion scripts')
      ,@('help', 'Help on commands and topics')
    )
    'setup' = @()
    'rentals' = @(
      ,@('create', 'vm or bare-metal')
      ,@('list', 'List the active rentals')
      ,@('get', 'Show one rental, running or ended')
      ,@('history', 'List the rentals that have ended')
      ,@('summary', 'Count the active rentals and show their hourly cost')
      ,@('wait', 'Wait until a rental is running or has ended')
      ,@('ssh', 'Open a shell on a rental, or run a command there')
      ,@('terminate', 'End rentals, where the service lists an operation for it')
    )
    'rentals create' = @(
      ,@('vm', 'Rent a virtual machine')
      ,@('bare-metal', 'Rent bare-metal machines')
    )
    'rentals create vm' = @()
    'rentals create bare-metal' = @()
    'rentals list' = @()
    'rentals get' = @()
    'rentals history' = @()
    'rentals summary' = @()
    'rentals wait' = @()
    'rentals ssh' = @()
    'rentals terminate' = @()
    'volumes' = @(
      ,@('create', 'Create a storage volume')
      ,@('list', 'List the storage volumes')
      ,@('attach', 'Attach a storage volume to bare-metal rentals')
    )
    'volumes create' = @()
    'volumes list' = @()
    'volumes attach' = @()
    'reserve' = @(
      ,@('convert', 'Convert an on-demand rental to a reserved term')
      ,@('extend', 'Extend a reserved term')
      ,@('request', 'Request a reservation of many GPUs')
    )
    'reserve convert' = @()
    'reserve extend' = @()
    'reserve request' = @()
    'user' = @(
      ,@('update', 'Change the current user')
      ,@('delete', 'Delete the current user')
    )
    'user update' = @()
    'user delete' = @()
    'image' = @(
      ,@('models', 'List the image models and what they can do')
      ,@('price', 'Show what pictures cost')
    )
    'image models' = @()
    'image price' = @()
    'chat' = @(
      ,@('models', 'List the chat models, if the service lists them')
    )
    'chat models' = @()
    'tts' = @()
    'api' = @(
      ,@('list', 'List the operations that the service offers')
      ,@('describe', 'Show what an operation takes and returns')
      ,@('call', 'Call any operation of the service')
      ,@('spec', 'Print the service''s own OpenAPI description')
    )
    'api list' = @()
    'api describe' = @()
    'api call' = @()
    'api spec' = @()
    'auth' = @(
      ,@('login', 'Store an API key and its hosts in a profile')
      ,@('logout', 'Remove the API key from a profile')
      ,@('status', 'Show the key in use, where it comes from, and whether the service accepts it')
      ,@('token', 'Print the API key in use')
    )
    'auth login' = @()
    'auth logout' = @()
    'auth status' = @()
    'auth token' = @()
    'profile' = @(
      ,@('list', 'List the profiles and mark the one in use')
      ,@('show', 'Show a profile''s settings and where its key comes from')
      ,@('add', 'Create a profile for an account or the sandbox')
      ,@('use', 'Switch to a profile')
      ,@('remove', 'Remove a profile and its key')
    )
    'profile list' = @()
    'profile show' = @()
    'profile add' = @()
    'profile use' = @()
    'profile remove' = @()
    'config' = @(
      ,@('get', 'Print a value set in the profile')
      ,@('set', 'Set a default in the profile')
      ,@('unset', 'Remove a default from the profile')
      ,@('list', 'List every key with its value, source and meaning')
      ,@('path', 'Print the path of the configuration file')
    )
    'config get' = @()
    'config set' = @()
    'config unset' = @()
    'config list' = @()
    'config path' = @()
    'doctor' = @()
    'sandbox' = @(
      ,@('serve', 'Serve the sandbox over HTTP, for curl, SDKs and browsers')
      ,@('status', 'Show what the sandbox holds and where')
      ,@('reset', 'Delete everything in the sandbox and start over')
      ,@('keys', 'Show the sandbox''s own keys, for curl and SDKs')
      ,@('limits', 'List what the service leaves open and the sandbox decided')
      ,@('fault', 'add or list or clear')
      ,@('clock', 'show or freeze or advance or set or resume')
      ,@('seed', 'Replace what the sandbox holds with the contents of a file')
      ,@('snapshot', 'Save the whole state of the sandbox')
      ,@('restore', 'Restore the sandbox from a snapshot')
      ,@('requests', 'List the last requests and what was wrong with them')
    )
    'sandbox serve' = @()
    'sandbox status' = @()
    'sandbox reset' = @()
    'sandbox keys' = @()
    'sandbox limits' = @()
    'sandbox fault' = @(
      ,@('add', 'Make calls to the sandbox fail')
      ,@('list', 'List the faults, including those used up')
      ,@('clear', 'Remove a fault, or all of them')
    )
    'sandbox fault add' = @()
    'sandbox fault list' = @()
    'sandbox fault clear' = @()
    'sandbox clock' = @(
      ,@('show', 'Show the sandbox''s time')
      ,@('freeze', 'Stop the sandbox''s clock')
      ,@('advance', 'Let time pass in the sandbox')
      ,@('set', 'Move the sandbox''s clock forward to a time')
      ,@('resume', 'Restart the sandbox''s clock from where it stopped')
    )
    'sandbox clock show' = @()
    'sandbox clock freeze' = @()
    'sandbox clock advance' = @()
    'sandbox clock set' = @()
    'sandbox clock resume' = @()
    'sandbox seed' = @()
    'sandbox snapshot' = @()
    'sandbox restore' = @()
    'sandbox requests' = @()
    'completion' = @()
    'help' = @(
      ,@('exit-codes', 'What each exit code means to a script')
      ,@('environment', 'Environment variables and files that gpuctl uses')
      ,@('output', 'Output formats, streams and machine-readable errors')
      ,@('setup', 'Set gpuctl up, step by step')
      ,@('rentals', 'Rent GPUs: virtual machines and bare metal')
      ,@('volumes', 'Storage volumes')
      ,@('reserve', 'Reserved terms')
      ,@('user', 'The current user')
      ,@('image', 'Generate pictures')
      ,@('chat', 'Chat with a model')
      ,@('tts', 'Turn text into speech')
      ,@('api', 'Call any operation of the service')
      ,@('auth', 'API keys')
      ,@('profile', 'Profiles: an account or the sandbox each')
      ,@('config', 'Defaults of a profile')
      ,@('doctor', 'Check the installation')
      ,@('sandbox', 'The whole service on this machine')
      ,@('completion', 'Shell completion scripts')
      ,@('help', 'Help on commands and topics')
    )
    'help rentals' = @(
      ,@('create', 'vm or bare-metal')
      ,@('list', 'List the active rentals')
      ,@('get', 'Show one rental, running or ended')
      ,@('history', 'List the rentals that have ended')
      ,@('summary', 'Count the active rentals and show their hourly cost')
      ,@('wait', 'Wait until a rental is running or has ended')
      ,@('ssh', 'Open a shell on a rental, or run a command there')
      ,@('terminate', 'End rentals, where the service lists an operation for it')
    )
    'help rentals create' = @(
      ,@('vm', 'Rent a virtual machine')
      ,@('bare-metal', 'Rent bare-metal machines')
    )
    'help volumes' = @(
      ,@('create', 'Create a storage volume')
      ,@('list', 'List the storage volumes')
      ,@('attach', 'Attach a storage volume to bare-metal rentals')
    )
    'help reserve' = @(
      ,@('convert', 'Convert an on-demand rental to a reserved term')
      ,@('extend', 'Extend a reserved term')
      ,@('request', 'Request a reservation of many GPUs')
    )
    'help user' = @(
      ,@('update', 'Change the current user')
      ,@('delete', 'Delete the current user')
    )
    'help image' = @(
      ,@('models', 'List the image models and what they can do')
      ,@('price', 'Show what pictures cost')
    )
    'help chat' = @(
      ,@('models', 'List the chat models, if the service lists them')
    )
    'help api' = @(
      ,@('list', 'List the operations that the service offers')
      ,@('describe', 'Show what an operation takes and returns')
      ,@('call', 'Call any operation of the service')
      ,@('spec', 'Print the service''s own OpenAPI description')
    )
    'help auth' = @(
      ,@('login', 'Store an API key and its hosts in a profile')
      ,@('logout', 'Remove the API key from a profile')
      ,@('status', 'Show the key in use, where it comes from, and whether the service accepts it')
      ,@('token', 'Print the API key in use')
    )
    'help profile' = @(
      ,@('list', 'List the profiles and mark the one in use')
      ,@('show', 'Show a profile''s settings and where its key comes from')
      ,@('add', 'Create a profile for an account or the sandbox')
      ,@('use', 'Switch to a profile')
      ,@('remove', 'Remove a profile and its key')
    )
    'help config' = @(
      ,@('get', 'Print a value set in the profile')
      ,@('set', 'Set a default in the profile')
      ,@('unset', 'Remove a default from the profile')
      ,@('list', 'List every key with its value, source and meaning')
      ,@('path', 'Print the path of the configuration file')
    )
    'help sandbox' = @(
      ,@('serve', 'Serve the sandbox over HTTP, for curl, SDKs and browsers')
      ,@('status', 'Show what the sandbox holds and where')
      ,@('reset', 'Delete everything in the sandbox and start over')
      ,@('keys', 'Show the sandbox''s own keys, for curl and SDKs')
      ,@('limits', 'List what the service leaves open and the sandbox decided')
      ,@('fault', 'add or list or clear')
      ,@('clock', 'show or freeze or advance or set or resume')
      ,@('seed', 'Replace what the sandbox holds with the contents of a file')
      ,@('snapshot', 'Save the whole state of the sandbox')
      ,@('restore', 'Restore the sandbox from a snapshot')
      ,@('requests', 'List the last requests and what was wrong with them')
    )
    'help sandbox fault' = @(
      ,@('add', 'Make calls to the sandbox fail')
      ,@('list', 'List the faults, including those used up')
      ,@('clear', 'Remove a fault, or all of them')
    )
    'help sandbox clock' = @(
      ,@('show', 'Show the sandbox''s time')
      ,@('freeze', 'Stop the sandbox''s clock')
      ,@('advance', 'Let time pass in the sandbox')
      ,@('set', 'Move the sandbox''s clock forward to a time')
      ,@('resume', 'Restart the sandbox''s clock from where it stopped')
    )
  }
  # By path: the spellings of each flag, what it means, its choices, and the kind of its live values.
  $flags = @{
    '' = @()
    'setup' = @()
    'rentals' = @()
    'rentals create' = @()
    'rentals create vm' = @(
      ,@(@('--gpu-count', '--gpus'), 'Number of GPUs', @(), '')
      ,@(@('--network-type'), 'Network of the machine', @('infiniband', 'ethernet'), '')
      ,@(@('--region'), 'Where the machine stands', @('us-central-1', 'us-central-2', 'eu-north-2', 'eu-west-2', 'eu-north-4', 'eu-north-5', 'us-east-1', 'us-east-2', 'ca-east-3', 'eu-north-6', 'eu-north-7', 'eu-north-8', 'ca-west-1', 'ca-east-1', 'us-central-3', 'us-southeast-1', 'me-central-1', 'ca-east-2', 'eu-west-1', 'us-southeast-2', 'jp-east-1', 'us-southeast-3', 'eu-west-5', 'us-east-3'), '')
      ,@(@('--gpu-type', '--gpu'), 'GPU model', @('h100', 'h200', 'b200', 'rtx-6000-pro'), '')
      ,@(@('--label'), 'Name of the rental', @(), '')
      ,@(@('--term-type'), 'How the rental is billed', @('on-demand', 'reserved'), '')
      ,@(@('--term-period-days', '--days'), 'Length of a reserved term in days', @(), '')
      ,@(@('--discount-percentage'), 'Discount on the price, in percent', @(), '')
      ,@(@('--monitoring-enabled', '--no-monitoring-enabled'), 'Collect metrics', @(), '')
      ,@(@('--convert-to-on-demand-on-expiry', '--no-convert-to-on-demand-on-expiry'), 'Go on as on-demand when the reserved term ends', @(), '')
      ,@(@('--ssh-public-key-id'), 'SSH public key to put on the machine', @(), '')
      ,@(@('--ssh-public-key-ids'), 'SSH public keys to put on the machine', @(), '')
      ,@(@('--custom-ports'), 'Ports to open beside SSH', @(), '')
      ,@(@('--wait'), 'Wait until the rental is running', @(), '')
      ,@(@('--wait-timeout'), 'Longest time to wait', @(), '')
      ,@(@('--max-burn'), 'Refuse when the active rentals already cost this many dollars an hour or more', @(), '')
    )
    'rentals create bare-metal' = @(
      ,@(@('--network-type'), 'Network between the machines', @('infiniband', 'ethernet'), '')
      ,@(@('--gpu-count', '--gpus'), 'Number of GPUs; a machine has 8', @(), '')
      ,@(@('--region'), 'Where the machines stand', @('us-central-1', 'uk-central-3', 'uk-southeast-3', 'eu-southwest-3', 'eu-southwest-3-1', 'eu-west-3', 'eu-west-4'), '')
      ,@(@('--gpu-type', '--gpu'), 'GPU model', @('h100', 'h200', 'b200', 'rtx-6000-pro'), '')
      ,@(@('--label'), 'Name of the rental', @(), '')
      ,@(@('--term-type'), 'How the rental is billed', @('on-demand', 'reserved'), '')
      ,@(@('--term-period-days', '--days'), 'Length of a reserved term in days', @(), '')
      ,@(@('--discount-percentage'), 'Discount on the price, in percent', @(), '')
      ,@(@('--monitoring-enabled', '--no-monitoring-enabled'), 'Collect metrics', @(), '')
      ,@(@('--convert-to-on-demand-on-expiry', '--no-convert-to-on-demand-on-expiry'), 'Go on as on-demand when the reserved term ends', @(), '')
      ,@(@('--ssh-public-key-id'), 'SSH public key to put on the machine', @(), '')
      ,@(@('--ssh-public-key-ids'), 'SSH public keys to put on the machine', @(), '')
      ,@(@('--cuda-version'), 'CUDA version to install', @('cuda12.8', 'cuda12.9'), '')
      ,@(@('--storage-volume'), 'Existing storage volume to attach', @(), 'volume')
      ,@(@('--new-volume'), 'Create a storage volume with this label and attach it; requires --new-volume-size', @(), '')
      ,@(@('--new-volume-size'), 'Size of the new volume', @(), '')
      ,@(@('--wait'), 'Wait until the rental is running', @(), '')
      ,@(@('--wait-timeout'), 'Longest time to wait', @(), '')
      ,@(@('--max-burn'), 'Refuse when the active rentals already cost this many dollars an hour or more', @(), '')
    )
    'rentals list' = @(
      ,@(@('--include-cluster-pools', '--no-include-cluster-pools'), 'Also list rentals that belong to cluster pools', @(), '')
      ,@(@('--type'), 'List only this type; both by default', @('vm', 'bare-metal'), '')
      ,@(@('--watch'), 'Refresh until Ctrl-C, and mark what changed', @(), '')
    )
    'rentals get' = @()
    'rentals history' = @()
    'rentals summary' = @()
    'rentals wait' = @(
      ,@(@('--for'), 'State to wait for', @('running', 'active', 'terminated'), '')
      ,@(@('--interval'), 'Time between two checks', @(), '')
      ,@(@('--wait-timeout'), 'Longest time to wait', @(), '')
    )
    'rentals ssh' = @(
      ,@(@('--node'), 'Which machine of several, counted from 1; the first by default', @(), '')
      ,@(@('--print'), 'Print the command line instead of running it', @(), '')
      ,@(@('--wait'), 'Wait until the rental can be reached', @(), '')
      ,@(@('--wait-timeout'), 'Longest time to wait', @(), '')
    )
    'rentals terminate' = @()
    'volumes' = @()
    'volumes create' = @(
      ,@(@('--region'), 'Where the volume is kept', @('us-central-1', 'us-central-2', 'eu-north-2', 'eu-west-2', 'eu-north-4', 'eu-north-5', 'us-east-1', 'us-east-2', 'ca-east-3', 'eu-north-6', 'eu-north-7', 'eu-north-8', 'ca-west-1', 'ca-east-1', 'us-central-3', 'us-southeast-1', 'me-central-1', 'ca-east-2', 'eu-west-1', 'us-southeast-2', 'jp-east-1', 'us-southeast-3', 'eu-west-5', 'us-east-3', 'uk-central-3', 'uk-southeast-3', 'eu-southwest-3', 'eu-southwest-3-1', 'eu-west-3', 'eu-west-4'), '')
      ,@(@('--label'), 'Label: letters, digits, underscores and dashes', @(), '')
      ,@(@('--size-in-gb'), 'Size in GB', @(), '')
      ,@(@('--rental-ids'), 'Rentals to attach it to', @(), 'rental')
    )
    'volumes list' = @()
    'volumes attach' = @()
    'reserve' = @()
    'reserve convert' = @(
      ,@(@('--term-period-days', '--days'), 'Length of the reserved term in days', @(), '')
      ,@(@('--expected-total-price-cents'), 'Total price that you expect to pay, in cents', @(), '')
      ,@(@('--expected-price'), 'The same as --expected-total-price-cents, in dollars such as 1234.50', @(), '')
    )
    'reserve extend' = @(
      ,@(@('--term-period-days', '--days'), 'Length of the reserved term in days', @(), '')
      ,@(@('--expected-total-price-cents'), 'Total price that you expect to pay, in cents', @(), '')
      ,@(@('--expected-reserved-until'), 'End of the term that you expect after the extension', @(), '')
      ,@(@('--expected-price'), 'The same as --expected-total-price-cents, in dollars such as 1234.50', @(), '')
    )
    'reserve request' = @(
      ,@(@('--gpu-count', '--gpus'), 'Number of GPUs', @(), '')
    )
    'user' = @()
    'user update' = @(
      ,@(@('--onboarded-for'), 'What the account is used for', @(), '')
      ,@(@('--name'), 'Name of the user', @(), '')
    )
    'user delete' = @()
    'image' = @(
      ,@(@('-m', '--model-name', '--model'), 'Image model', @('FLUX.1-dev', 'SDXL1.0-base', 'SDXL-turbo', 'SD2', 'SD1.5', 'SSD'), '')
      ,@(@('--prompt'), 'What the picture shows', @(), '')
      ,@(@('--height'), 'Height in pixels', @(), '')
      ,@(@('--width'), 'Width in pixels', @(), '')
      ,@(@('--steps'), 'Inference steps', @(), '')
      ,@(@('--cfg-scale'), 'How closely to follow the prompt; 5 to 15 is usual', @(), '')
      ,@(@('--negative-prompt', '--negative'), 'What the picture must not show', @(), '')
      ,@(@('--seed'), 'Seed; the same seed gives the same picture', @(), '')
      ,@(@('--sampler'), 'Sampler', @(), '')
      ,@(@('--backend'), 'auto picks by itself, tvm is made for speed, torch is more flexible', @('auto', 'tvm', 'torch'), '')
      ,@(@('--prompt-2'), 'Second prompt (SDXL models)', @(), '')
      ,@(@('--negative-prompt-2'), 'Second negative prompt (SDXL models)', @(), '')
      ,@(@('--enable-refiner', '--no-enable-refiner'), 'Run the refiner (SDXL models)', @(), '')
      ,@(@('--strength'), 'How far the picture moves away from the reference', @(), '')
      ,@(@('--lora'), 'LoRA weights by name (SDXL1.0-base, SD1.5)', @(), '')
      ,@(@('--size'), 'Width and height in pixels', @(), '')
      ,@(@('--image'), 'Reference picture (PNG, JPEG or WebP), - for stdin', @(), '')
      ,@(@('-n', '--count'), 'Number of pictures', @(), '')
      ,@(@('--out'), 'Where to save the picture: a file, a folder, a template such as {slug}-{seed}.{ext}, or - for stdout', @(), '')
      ,@(@('--force'), 'Replace an existing file', @(), '')
      ,@(@('--max-cost'), 'Refuse when the pictures would cost more than this many dollars', @(), '')
      ,@(@('--no-metadata'), 'Leave the settings out of the PNG', @(), '')
    )
    'image models' = @()
    'image price' = @(
      ,@(@('--size'), 'Width and height in pixels', @(), '')
      ,@(@('--steps'), 'Inference steps', @(), '')
      ,@(@('-n', '--count'), 'Number of pictures', @(), '')
    )
    'chat' = @(
      ,@(@('-m', '--model'), 'Chat model', @(), '')
      ,@(@('--max-tokens'), 'Longest answer, in tokens', @(), '')
      ,@(@('--temperature'), 'Randomness of the answer', @(), '')
      ,@(@('-s', '--system'), 'Instructions for the model; @FILE reads a file', @(), '')
      ,@(@('--top-p'), 'Nucleus sampling', @(), '')
      ,@(@('--stop'), 'Text that ends the response', @(), '')
      ,@(@('--seed'), 'Seed for sampling', @(), '')
      ,@(@('--param'), 'Any other field that the service accepts', @(), '')
      ,@(@('--no-stream'), 'Print the response once it is complete', @(), '')
      ,@(@('--usage'), 'Report the number of tokens on stderr', @(), '')
    )
    'chat models' = @()
    'tts' = @(
      ,@(@('--speed'), 'Speed; 1 is normal', @(), '')
      ,@(@('--file'), 'Read the text from a file', @(), '')
      ,@(@('--param'), 'Any other field that the service accepts', @(), '')
      ,@(@('--out'), 'Where to save the recording: a file, a folder, a template such as {slug}-{seed}.{ext}, or - for stdout', @(), '')
      ,@(@('--force'), 'Replace an existing file', @(), '')
    )
    'api' = @()
    'api list' = @(
      ,@(@('--group'), 'Only the operations of this group', @(), '')
    )
    'api describe' = @()
    'api call' = @(
      ,@(@('-f', '--raw-field'), 'A field as text; a[b]=1, a[]=1 and a[][b]=1 fill objects and lists', @(), '')
      ,@(@('-F', '--field'), 'A field that may be a number, true, false or null; @FILE reads a file, - reads stdin', @(), '')
      ,@(@('--input'), 'The whole body, as JSON; - is stdin', @(), '')
      ,@(@('-i', '--include'), 'Print the status and the headers of the response first', @(), '')
      ,@(@('--paginate'), 'Follow the pages of a listing and print one array', @(), '')
    )
    'api spec' = @(
      ,@(@('--refresh'), 'Fetch the description even if it was cached less than a day ago', @(), '')
    )
    'auth' = @()
    'auth login' = @(
      ,@(@('--with-token'), 'Read the key from stdin', @(), '')
      ,@(@('--key-command'), 'Store a command line that prints the key instead of the key', @(), '')
    )
    'auth logout' = @()
    'auth status' = @()
    'auth token' = @()
    'profile' = @()
    'profile list' = @()
    'profile show' = @()
    'profile add' = @(
      ,@(@('--key-command'), 'Command line that prints the API key', @(), '')
    )
    'profile use' = @()
    'profile remove' = @()
    'config' = @()
    'config get' = @()
    'config set' = @()
    'config unset' = @()
    'config list' = @()
    'config path' = @()
    'doctor' = @()
    'sandbox' = @()
    'sandbox serve' = @(
      ,@(@('--port'), 'Port to listen on; 0 picks a free one', @(), '')
      ,@(@('--host'), 'Address to listen on', @(), '')
      ,@(@('--only'), 'Serve only these operations; all documented and assumed ones when left out', @('documented', 'replacements', 'legacy'), '')
    )
    'sandbox status' = @()
    'sandbox reset' = @()
    'sandbox keys' = @()
    'sandbox limits' = @()
    'sandbox fault' = @()
    'sandbox fault add' = @(
      ,@(@('--operation'), 'Calls that fail, by the operation id in `gpuctl api spec`; * for all', @(), '')
      ,@(@('--times'), 'Number of calls that fail', @(), '')
      ,@(@('--after'), 'Number of calls that succeed first', @(), '')
      ,@(@('--status'), 'Respond with this status, from 400 to 599', @(), '')
      ,@(@('--retry-after'), 'Time to wait before a retry, as the response gives it', @(), '')
      ,@(@('--delay'), 'Wait this long first, in real time', @(), '')
      ,@(@('--reset'), 'Break the connection', @(), '')
      ,@(@('--cut-stream-after'), 'End the response after N events, or N KiB when it is not a stream; with --reset by breaking the connection', @(), '')
      ,@(@('--garbage'), 'Respond with a body that is not JSON', @(), '')
      ,@(@('--applied'), 'Let the operation take effect first', @(), '')
    )
    'sandbox fault list' = @()
    'sandbox fault clear' = @()
    'sandbox clock' = @()
    'sandbox clock show' = @()
    'sandbox clock freeze' = @()
    'sandbox clock advance' = @()
    'sandbox clock set' = @()
    'sandbox clock resume' = @()
    'sandbox seed' = @()
    'sandbox snapshot' = @(
      ,@(@('--force'), 'Replace an existing file', @(), '')
    )
    'sandbox restore' = @()
    'sandbox requests' = @(
      ,@(@('--limit'), 'Maximum number of requests', @(), '')
    )
    'completion' = @()
    'help' = @()
    'help rentals' = @()
    'help rentals create' = @()
    'help volumes' = @()
    'help reserve' = @()
    'help user' = @()
    'help image' = @()
    'help chat' = @()
    'help api' = @()
    'help auth' = @()
    'help profile' = @()
    'help config' = @()
    'help sandbox' = @()
    'help sandbox fault' = @()
    'help sandbox clock' = @()
  }
  $globals = @(
      ,@(@('-o', '--output'), 'Output format', @('table', 'json', 'jsonl', 'yaml', 'csv', 'tsv', 'id'), '')
      ,@(@('--columns'), 'Columns of a table, csv or tsv, in this order: titles, names, or dotted paths of the record', @(), '')
      ,@(@('--no-header'), 'Omit column titles', @(), '')
      ,@(@('--jq'), 'Filter the JSON output with jq; strings are printed raw', @(), '')
      ,@(@('-q', '--quiet'), 'Print only errors on stderr', @(), '')
      ,@(@('-y', '--yes'), 'Answer yes to every confirmation', @(), '')
      ,@(@('--no-input'), 'Never prompt', @(), '')
      ,@(@('--profile'), 'Profile to use', @(), 'profile')
      ,@(@('--sandbox'), 'Use the service inside gpuctl: no account, nothing is rented', @(), '')
      ,@(@('--base-url'), 'Host of the compute API', @(), '')
      ,@(@('--inference-base-url'), 'Host of the inference API (by default the base URL)', @(), '')
      ,@(@('--timeout'), 'Time limit for one attempt (30s for compute and 5m for inference by default)', @(), '')
      ,@(@('--retries'), 'Retry reads this many times; writes are never sent twice', @(), '')
      ,@(@('--dry-run'), 'Print the request without sending it', @(), '')
      ,@(@('--no-validate'), 'Send values that exceed a documented limit and let the service decide', @(), '')
      ,@(@('--insecure-http'), 'Allow sending the key over plain http to another machine', @(), '')
      ,@(@('--debug'), 'Show requests, responses and timing on stderr, never the key', @(), '')
      ,@(@('--color'), 'Use colours', @('auto', 'always', 'never'), '')
      ,@(@('-V', '--version'), 'Print the version', @(), '')
      ,@(@('-h', '--help'), 'Show help', @(), '')
  )
  $values = @('-o', '--output', '--columns', '--jq', '--profile', '--base-url', '--inference-base-url', '--timeout', '--retries', '--color', '--gpu-count', '--gpus', '--network-type', '--region', '--gpu-type', '--gpu', '--label', '--term-type', '--term-period-days', '--days', '--discount-percentage', '--ssh-public-key-id', '--ssh-public-key-ids', '--custom-ports', '--wait-timeout', '--max-burn', '--cuda-version', '--storage-volume', '--new-volume', '--new-volume-size', '--type', '--for', '--interval', '--node', '--size-in-gb', '--rental-ids', '--expected-total-price-cents', '--expected-price', '--expected-reserved-until', '--onboarded-for', '--name', '-m', '--model-name', '--model', '--prompt', '--height', '--width', '--steps', '--cfg-scale', '--negative-prompt', '--negative', '--seed', '--sampler', '--backend', '--prompt-2', '--negative-prompt-2', '--strength', '--lora', '--size', '--image', '-n', '--count', '--out', '--max-cost', '--max-tokens', '--temperature', '-s', '--system', '--top-p', '--stop', '--param', '--speed', '--file', '--group', '-f', '--raw-field', '-F', '--field', '--input', '--key-command', '--port', '--host', '--only', '--operation', '--times', '--after', '--status', '--retry-after', '--delay', '--cut-stream-after', '--limit')
  $files = @('--image', '--out', '--file', '--input')

  # By path: what may be typed after a command, each with a kind of live values, its choices, and whether it repeats.
  $words = @{
    'rentals get' = @(
      ,@('rental', @(), $false)
    )
    'rentals wait' = @(
      ,@('rental', @(), $false)
    )
    'rentals ssh' = @(
      ,@('rental', @(), $false)
      ,@('', @(), $true)
    )
    'rentals terminate' = @(
      ,@('rental', @(), $true)
    )
    'volumes attach' = @(
      ,@('volume', @(), $false)
      ,@('rental', @(), $true)
    )
    'reserve convert' = @(
      ,@('rental', @(), $false)
    )
    'reserve extend' = @(
      ,@('rental', @(), $false)
    )
    'image' = @(
      ,@('', @(), $false)
    )
    'chat' = @(
      ,@('', @(), $false)
    )
    'tts' = @(
      ,@('', @(), $false)
    )
    'api describe' = @(
      ,@('', @(), $false)
      ,@('', @(), $false)
    )
    'api call' = @(
      ,@('', @(), $false)
      ,@('', @(), $false)
    )
    'profile show' = @(
      ,@('profile', @(), $false)
    )
    'profile add' = @(
      ,@('', @(), $false)
    )
    'profile use' = @(
      ,@('profile', @(), $false)
    )
    'profile remove' = @(
      ,@('profile', @(), $false)
    )
    'config get' = @(
      ,@('', @('baseUrl', 'inferenceBaseUrl', 'sandbox', 'apiKeyCommand', 'output', 'timeout', 'retries', 'rentals.region', 'rentals.gpuType', 'image.model', 'chat.model', 'budget.maxCost', 'budget.maxBurn'), $false)
    )
    'config set' = @(
      ,@('', @('baseUrl', 'inferenceBaseUrl', 'sandbox', 'apiKeyCommand', 'output', 'timeout', 'retries', 'rentals.region', 'rentals.gpuType', 'image.model', 'chat.model', 'budget.maxCost', 'budget.maxBurn'), $false)
      ,@('', @(), $false)
    )
    'config unset' = @(
      ,@('', @('baseUrl', 'inferenceBaseUrl', 'sandbox', 'apiKeyCommand', 'output', 'timeout', 'retries', 'rentals.region', 'rentals.gpuType', 'image.model', 'chat.model', 'budget.maxCost', 'budget.maxBurn'), $false)
    )
    'sandbox fault clear' = @(
      ,@('', @(), $false)
    )
    'sandbox clock advance' = @(
      ,@('', @(), $false)
    )
    'sandbox clock set' = @(
      ,@('', @(), $false)
    )
    'sandbox seed' = @(
      ,@('', @(), $false)
    )
    'sandbox snapshot' = @(
      ,@('', @(), $false)
    )
    'sandbox restore' = @(
      ,@('', @(), $false)
    )
    'completion' = @(
      ,@('', @('bash', 'zsh', 'fish', 'powershell'), $false)
    )
  }
  # Flags that say which service is asked for live values, and those of them that take a value.
  $service = @('--profile', '--sandbox', '--base-url', '--inference-base-url', '--timeout', '--retries', '--insecure-http')
  $serviceValues = @('--profile', '--base-url', '--inference-base-url', '--timeout', '--retries')

  $path = ''
  $previous = ''
  $count = 0
  $asked = @()
  foreach ($element in ($commandAst.CommandElements | Select-Object -Skip 1)) {
    if ($element.Extent.EndOffset -ge $cursorPosition -and $wordToComplete) { break }
    $word = $element.ToString()
    if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $word = $element.Value }
    if ($values -ccontains $previous) {
      if ($serviceValues -ccontains $previous) { $asked += $word }
      $previous = ''
      continue
    }
    $next = "$path $word".Trim()
    if ($service -ccontains ($word -split '=')[0]) { $asked += $word }
    if ($commands.ContainsKey($next)) { $path = $next; $count = 0 }
    elseif (-not $word.StartsWith('-')) { $count++ }
    $previous = $word
  }

  # Nothing is answered for the name of a file: PowerShell then completes files by itself.
  if ($files -ccontains $previous) { return }

  $live = ''
  $known = @($flags[$path]) + $globals
  if ($values -ccontains $previous) {
    $flag = $known | Where-Object { $_[0] -ccontains $previous } | Select-Object -First 1
    $live = $flag[3]
    $found = @($flag[2] | ForEach-Object { ,@($_, $_) })
  } elseif ("$wordToComplete".StartsWith('-')) {
    $found = @($known | ForEach-Object { $text = $_[1]; $_[0] | ForEach-Object { ,@($_, $text) } })
  } else {
    $found = @()
    if ($count -eq 0) { $found = @($commands[$path]) }
    $own = @()
    if ($words.ContainsKey($path)) { $own = $words[$path] }
    $word = $null
    if ($count -lt $own.Count) { $word = $own[$count] }
    elseif ($own.Count -gt 0 -and $own[-1][2]) { $word = $own[-1] }
    if ($word) {
      $live = $word[0]
      $found += @($word[1] | ForEach-Object { ,@($_, $_) })
    }
  }
  if ($live) {
    try {
      $found = @(& gpuctl __complete $live '' @asked 2> $null | ForEach-Object {
        $value, $text = $_ -split "`t", 2
        if (-not $text) { $text = $value }
        if ($value -notmatch '^[\w.-]+$') { $value = "'" + ($value -replace "['\u2018-\u201b]", '$0$0') + "'" }
        ,@($value, $text)
      })
    } catch { }
  }
  $found | Where-Object { $_ -and $_[0].StartsWith("$wordToComplete", 'Ordinal') } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_[0], $_[0], 'ParameterValue', $_[1])
  }
}
