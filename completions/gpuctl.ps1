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
      ,@('tts', 'Speak a text')
      ,@('api', 'The service''s own description')
      ,@('auth', 'API keys')
      ,@('profile', 'Profiles: an account or the sandbox each')
      ,@('config', 'Defaults of a profile')
      ,@('doctor', 'Check the installation')
      ,@('sandbox', 'The whole service on this machine')
      ,@('completion', 'Completion scripts for shells')
      ,@('help', 'Help on commands and topics')
    )
    'setup' = @()
    'rentals' = @(
      ,@('create', 'vm or bare-metal')
      ,@('list', 'List the active rentals')
      ,@('get', 'Look up one rental, running or ended')
      ,@('history', 'List the rentals that have ended')
      ,@('summary', 'Count the active rentals and show what they cost an hour')
      ,@('wait', 'Wait until a rental runs or has ended')
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
      ,@('request', 'Ask for a reservation of many GPUs')
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
      ,@('price', 'Say what pictures cost')
    )
    'image models' = @()
    'image price' = @()
    'chat' = @(
      ,@('models', 'List the chat models, where the service does')
    )
    'chat models' = @()
    'tts' = @()
    'api' = @(
      ,@('list', 'List the operations that the service offers')
      ,@('describe', 'Show what an operation takes and answers')
      ,@('call', 'Call any operation of the service')
      ,@('spec', 'Print the service''s own OpenAPI description')
    )
    'api list' = @()
    'api describe' = @()
    'api call' = @()
    'api spec' = @()
    'auth' = @(
      ,@('login', 'Keep an API key, and where it is used, in a profile')
      ,@('logout', 'Forget the API key of a profile')
      ,@('status', 'Say which key is used, where it comes from, and whether the service accepts it')
      ,@('token', 'Print the API key in use')
    )
    'auth login' = @()
    'auth logout' = @()
    'auth status' = @()
    'auth token' = @()
    'profile' = @(
      ,@('list', 'List the profiles, the one in use marked')
      ,@('show', 'Show a profile: what it keeps, and where its key comes from')
      ,@('add', 'Make a profile: an account or the sandbox')
      ,@('use', 'Use a profile from now on')
      ,@('remove', 'Remove a profile with its key')
    )
    'profile list' = @()
    'profile show' = @()
    'profile add' = @()
    'profile use' = @()
    'profile remove' = @()
    'config' = @(
      ,@('get', 'Print the value that the profile keeps')
      ,@('set', 'Keep a default in the profile')
      ,@('unset', 'Take a default out of the profile')
      ,@('list', 'Show every key with the value that counts, where it comes from, and what it means')
      ,@('path', 'Print where the configuration is')
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
      ,@('reset', 'Forget everything in the sandbox and begin anew')
      ,@('seed', 'Fill the sandbox from a file, in the place of what it holds')
      ,@('snapshot', 'Save the whole state of the sandbox')
      ,@('restore', 'Go back to a saved state of the sandbox')
      ,@('requests', 'List the last requests and what was wrong with them')
      ,@('clock', 'show or freeze or advance or set or resume')
      ,@('fault', 'add or list or clear')
      ,@('keys', 'Show the sandbox''s own keys, for curl and SDKs')
      ,@('limits', 'List what the service leaves open and the sandbox decided')
    )
    'sandbox serve' = @()
    'sandbox status' = @()
    'sandbox reset' = @()
    'sandbox seed' = @()
    'sandbox snapshot' = @()
    'sandbox restore' = @()
    'sandbox requests' = @()
    'sandbox clock' = @(
      ,@('show', 'Show the sandbox''s time')
      ,@('freeze', 'Stop the sandbox''s clock where it is')
      ,@('advance', 'Let time pass in the sandbox')
      ,@('set', 'Go to a time that lies ahead')
      ,@('resume', 'Let the sandbox''s clock run on from where it is')
    )
    'sandbox clock show' = @()
    'sandbox clock freeze' = @()
    'sandbox clock advance' = @()
    'sandbox clock set' = @()
    'sandbox clock resume' = @()
    'sandbox fault' = @(
      ,@('add', 'Let calls to the sandbox fail')
      ,@('list', 'List the faults, used up or not')
      ,@('clear', 'Forget a fault, or all of them')
    )
    'sandbox fault add' = @()
    'sandbox fault list' = @()
    'sandbox fault clear' = @()
    'sandbox keys' = @()
    'sandbox limits' = @()
    'completion' = @()
    'help' = @(
      ,@('exit-codes', 'What each exit code tells a script')
      ,@('environment', 'Variables and files that gpuctl heeds')
      ,@('output', 'Formats, streams, and errors that a program can read')
      ,@('setup', 'Set gpuctl up, step by step')
      ,@('rentals', 'Rent GPUs: virtual machines and bare metal')
      ,@('volumes', 'Storage volumes')
      ,@('reserve', 'Reserved terms')
      ,@('user', 'The current user')
      ,@('image', 'Generate pictures')
      ,@('chat', 'Chat with a model')
      ,@('tts', 'Speak a text')
      ,@('api', 'The service''s own description')
      ,@('auth', 'API keys')
      ,@('profile', 'Profiles: an account or the sandbox each')
      ,@('config', 'Defaults of a profile')
      ,@('doctor', 'Check the installation')
      ,@('sandbox', 'The whole service on this machine')
      ,@('completion', 'Completion scripts for shells')
      ,@('help', 'Help on commands and topics')
    )
    'help rentals' = @(
      ,@('create', 'vm or bare-metal')
      ,@('list', 'List the active rentals')
      ,@('get', 'Look up one rental, running or ended')
      ,@('history', 'List the rentals that have ended')
      ,@('summary', 'Count the active rentals and show what they cost an hour')
      ,@('wait', 'Wait until a rental runs or has ended')
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
      ,@('request', 'Ask for a reservation of many GPUs')
    )
    'help user' = @(
      ,@('update', 'Change the current user')
      ,@('delete', 'Delete the current user')
    )
    'help image' = @(
      ,@('models', 'List the image models and what they can do')
      ,@('price', 'Say what pictures cost')
    )
    'help chat' = @(
      ,@('models', 'List the chat models, where the service does')
    )
    'help api' = @(
      ,@('list', 'List the operations that the service offers')
      ,@('describe', 'Show what an operation takes and answers')
      ,@('call', 'Call any operation of the service')
      ,@('spec', 'Print the service''s own OpenAPI description')
    )
    'help auth' = @(
      ,@('login', 'Keep an API key, and where it is used, in a profile')
      ,@('logout', 'Forget the API key of a profile')
      ,@('status', 'Say which key is used, where it comes from, and whether the service accepts it')
      ,@('token', 'Print the API key in use')
    )
    'help profile' = @(
      ,@('list', 'List the profiles, the one in use marked')
      ,@('show', 'Show a profile: what it keeps, and where its key comes from')
      ,@('add', 'Make a profile: an account or the sandbox')
      ,@('use', 'Use a profile from now on')
      ,@('remove', 'Remove a profile with its key')
    )
    'help config' = @(
      ,@('get', 'Print the value that the profile keeps')
      ,@('set', 'Keep a default in the profile')
      ,@('unset', 'Take a default out of the profile')
      ,@('list', 'Show every key with the value that counts, where it comes from, and what it means')
      ,@('path', 'Print where the configuration is')
    )
    'help sandbox' = @(
      ,@('serve', 'Serve the sandbox over HTTP, for curl, SDKs and browsers')
      ,@('status', 'Show what the sandbox holds and where')
      ,@('reset', 'Forget everything in the sandbox and begin anew')
      ,@('seed', 'Fill the sandbox from a file, in the place of what it holds')
      ,@('snapshot', 'Save the whole state of the sandbox')
      ,@('restore', 'Go back to a saved state of the sandbox')
      ,@('requests', 'List the last requests and what was wrong with them')
      ,@('clock', 'show or freeze or advance or set or resume')
      ,@('fault', 'add or list or clear')
      ,@('keys', 'Show the sandbox''s own keys, for curl and SDKs')
      ,@('limits', 'List what the service leaves open and the sandbox decided')
    )
    'help sandbox clock' = @(
      ,@('show', 'Show the sandbox''s time')
      ,@('freeze', 'Stop the sandbox''s clock where it is')
      ,@('advance', 'Let time pass in the sandbox')
      ,@('set', 'Go to a time that lies ahead')
      ,@('resume', 'Let the sandbox''s clock run on from where it is')
    )
    'help sandbox fault' = @(
      ,@('add', 'Let calls to the sandbox fail')
      ,@('list', 'List the faults, used up or not')
      ,@('clear', 'Forget a fault, or all of them')
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
      ,@(@('--wait'), 'Wait until the rental runs', @(), '')
      ,@(@('--wait-timeout'), 'Longest time to wait', @(), '')
      ,@(@('--max-burn'), 'Refuse when what is active already costs this many dollars an hour or more', @(), '')
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
      ,@(@('--new-volume'), 'Create a storage volume of this name and attach it; needs --new-volume-size', @(), '')
      ,@(@('--new-volume-size'), 'Size of the new volume', @(), '')
      ,@(@('--wait'), 'Wait until the rental runs', @(), '')
      ,@(@('--wait-timeout'), 'Longest time to wait', @(), '')
      ,@(@('--max-burn'), 'Refuse when what is active already costs this many dollars an hour or more', @(), '')
    )
    'rentals list' = @(
      ,@(@('--include-cluster-pools', '--no-include-cluster-pools'), 'Also list rentals that belong to cluster pools', @(), '')
      ,@(@('--type'), 'Only this type; both when left out', @('vm', 'bare-metal'), '')
      ,@(@('--watch'), 'Look again and again until Ctrl-C, and mark what changed', @(), '')
    )
    'rentals get' = @()
    'rentals history' = @()
    'rentals summary' = @()
    'rentals wait' = @(
      ,@(@('--for'), 'What to wait for', @('running', 'active', 'terminated'), '')
      ,@(@('--interval'), 'Time between two looks', @(), '')
      ,@(@('--wait-timeout'), 'Longest time to wait', @(), '')
    )
    'rentals ssh' = @(
      ,@(@('--node'), 'Which machine of several, counted from 1; the first when left out', @(), '')
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
      ,@(@('-n', '--count'), 'How many pictures', @(), '')
      ,@(@('--out'), 'Where to save the picture: a file, a folder, a template such as {slug}-{seed}.{ext}, or - for stdout', @(), '')
      ,@(@('--force'), 'Replace an existing file', @(), '')
      ,@(@('--max-cost'), 'Refuse when the pictures would cost more than this many dollars', @(), '')
      ,@(@('--no-metadata'), 'Leave the settings out of the PNG', @(), '')
    )
    'image models' = @()
    'image price' = @(
      ,@(@('--size'), 'Width and height in pixels', @(), '')
      ,@(@('--steps'), 'Inference steps', @(), '')
      ,@(@('-n', '--count'), 'How many pictures', @(), '')
    )
    'chat' = @(
      ,@(@('-m', '--model'), 'Chat model', @(), '')
      ,@(@('--max-tokens'), 'Longest answer, in tokens', @(), '')
      ,@(@('--temperature'), 'Randomness of the answer', @(), '')
      ,@(@('-s', '--system'), 'Instructions for the model; @FILE reads a file', @(), '')
      ,@(@('--top-p'), 'Nucleus sampling', @(), '')
      ,@(@('--stop'), 'Text that ends the answer', @(), '')
      ,@(@('--seed'), 'Seed of the answer', @(), '')
      ,@(@('--param'), 'Anything else that the service takes', @(), '')
      ,@(@('--no-stream'), 'Print the answer when it is whole', @(), '')
      ,@(@('--usage'), 'Tell the number of tokens on stderr', @(), '')
    )
    'chat models' = @()
    'tts' = @(
      ,@(@('--speed'), 'Speed; 1 is normal', @(), '')
      ,@(@('--file'), 'Read the text from a file', @(), '')
      ,@(@('--param'), 'Anything else that the service takes', @(), '')
      ,@(@('--out'), 'Where to save the recording: a file, a folder, a template such as {slug}-{seed}.{ext}, or - for stdout', @(), '')
      ,@(@('--force'), 'Replace an existing file', @(), '')
    )
    'api' = @()
    'api list' = @(
      ,@(@('--group'), 'Only the operations of this group', @(), '')
    )
    'api describe' = @()
    'api call' = @(
      ,@(@('-f', '--raw-field'), 'A field as text; a[b]=1, a[]=1 and a[][b]=1 lead into objects and lists', @(), '')
      ,@(@('-F', '--field'), 'A field that may be a number, true, false or null; @FILE is what a file holds, - what stdin holds', @(), '')
      ,@(@('--input'), 'The whole body, as JSON; - is stdin', @(), '')
      ,@(@('-i', '--include'), 'Print the status and the headers of the answer first', @(), '')
      ,@(@('--paginate'), 'Follow the pages of a listing and print one array', @(), '')
    )
    'api spec' = @(
      ,@(@('--refresh'), 'Ask the service, even if the description was kept less than a day ago', @(), '')
    )
    'auth' = @()
    'auth login' = @(
      ,@(@('--with-token'), 'Read the key from stdin', @(), '')
      ,@(@('--key-command'), 'Keep a command line that prints the key, in place of the key', @(), '')
    )
    'auth logout' = @()
    'auth status' = @()
    'auth token' = @()
    'profile' = @()
    'profile list' = @()
    'profile show' = @()
    'profile add' = @(
      ,@(@('--key-command'), 'Command line of a program that prints the API key', @(), '')
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
      ,@(@('--port'), 'Port to listen on; 0 takes a free one', @(), '')
      ,@(@('--host'), 'Address to listen on', @(), '')
      ,@(@('--only'), 'Serve just these operations; all that are documented or assumed when left out', @('documented', 'replacements', 'legacy'), '')
    )
    'sandbox status' = @()
    'sandbox reset' = @()
    'sandbox seed' = @()
    'sandbox snapshot' = @(
      ,@(@('--force'), 'Replace an existing file', @(), '')
    )
    'sandbox restore' = @()
    'sandbox requests' = @(
      ,@(@('--limit'), 'How many at most', @(), '')
    )
    'sandbox clock' = @()
    'sandbox clock show' = @()
    'sandbox clock freeze' = @()
    'sandbox clock advance' = @()
    'sandbox clock set' = @()
    'sandbox clock resume' = @()
    'sandbox fault' = @()
    'sandbox fault add' = @(
      ,@(@('--operation'), 'Which calls, by the name in `gpuctl api spec`; * for all', @(), '')
      ,@(@('--times'), 'How many calls fail', @(), '')
      ,@(@('--after'), 'How many calls go well before', @(), '')
      ,@(@('--status'), 'Answer with this status, from 400 to 599', @(), '')
      ,@(@('--retry-after'), 'What the answer says to wait before another try', @(), '')
      ,@(@('--delay'), 'Wait, in real time', @(), '')
      ,@(@('--reset'), 'Break the connection', @(), '')
      ,@(@('--cut-stream-after'), 'End the answer after N events, or N KiB when it is no stream; with --reset by breaking the connection', @(), '')
      ,@(@('--garbage'), 'Answer with a body that is no JSON', @(), '')
      ,@(@('--applied'), 'Let the operation take effect before', @(), '')
    )
    'sandbox fault list' = @()
    'sandbox fault clear' = @()
    'sandbox keys' = @()
    'sandbox limits' = @()
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
    'help sandbox clock' = @()
    'help sandbox fault' = @()
  }
  $globals = @(
      ,@(@('-o', '--output'), 'How the result is printed', @('table', 'json', 'jsonl', 'yaml', 'csv', 'tsv', 'id'), '')
      ,@(@('--columns'), 'Columns of a table, csv or tsv, in this order: titles, names, or dotted paths of the record', @(), '')
      ,@(@('--no-header'), 'Leave the titles of the columns out', @(), '')
      ,@(@('--jq'), 'Filter the JSON with jq; strings are printed as they are', @(), '')
      ,@(@('-q', '--quiet'), 'Nothing on stderr but errors', @(), '')
      ,@(@('-y', '--yes'), 'Answer every confirmation with yes', @(), '')
      ,@(@('--no-input'), 'Never prompt', @(), '')
      ,@(@('--profile'), 'Profile to use', @(), 'profile')
      ,@(@('--sandbox'), 'Use the service inside gpuctl: no account, nothing is rented', @(), '')
      ,@(@('--base-url'), 'Host of the compute API', @(), '')
      ,@(@('--inference-base-url'), 'Host of the inference API; the base URL when left out', @(), '')
      ,@(@('--timeout'), 'Longest time for one try (30s for compute and 5m for inference when left out)', @(), '')
      ,@(@('--retries'), 'Try reads again this many times; writes are never sent twice', @(), '')
      ,@(@('--dry-run'), 'Print the request that would be sent, send nothing', @(), '')
      ,@(@('--no-validate'), 'Let the service decide even where a documented limit says no', @(), '')
      ,@(@('--insecure-http'), 'Let the key travel over plain http to another machine', @(), '')
      ,@(@('--debug'), 'Show requests, answers and timing on stderr; never the key', @(), '')
      ,@(@('--color'), 'Use colours', @('auto', 'always', 'never'), '')
      ,@(@('-V', '--version'), 'Print the version', @(), '')
      ,@(@('-h', '--help'), 'Show help', @(), '')
  )
  $values = @('-o', '--output', '--columns', '--jq', '--profile', '--base-url', '--inference-base-url', '--timeout', '--retries', '--color', '--gpu-count', '--gpus', '--network-type', '--region', '--gpu-type', '--gpu', '--label', '--term-type', '--term-period-days', '--days', '--discount-percentage', '--ssh-public-key-id', '--ssh-public-key-ids', '--custom-ports', '--wait-timeout', '--max-burn', '--cuda-version', '--storage-volume', '--new-volume', '--new-volume-size', '--type', '--for', '--interval', '--node', '--size-in-gb', '--rental-ids', '--expected-total-price-cents', '--expected-price', '--expected-reserved-until', '--onboarded-for', '--name', '-m', '--model-name', '--model', '--prompt', '--height', '--width', '--steps', '--cfg-scale', '--negative-prompt', '--negative', '--seed', '--sampler', '--backend', '--prompt-2', '--negative-prompt-2', '--strength', '--lora', '--size', '--image', '-n', '--count', '--out', '--max-cost', '--max-tokens', '--temperature', '-s', '--system', '--top-p', '--stop', '--param', '--speed', '--file', '--group', '-f', '--raw-field', '-F', '--field', '--input', '--key-command', '--port', '--host', '--only', '--limit', '--operation', '--times', '--after', '--status', '--retry-after', '--delay', '--cut-stream-after')
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
    'sandbox seed' = @(
      ,@('', @(), $false)
    )
    'sandbox snapshot' = @(
      ,@('', @(), $false)
    )
    'sandbox restore' = @(
      ,@('', @(), $false)
    )
    'sandbox clock advance' = @(
      ,@('', @(), $false)
    )
    'sandbox clock set' = @(
      ,@('', @(), $false)
    )
    'sandbox fault clear' = @(
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
