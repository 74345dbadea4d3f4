# fish completion for gpuctl. Made by `npm run generate`; do not edit.

set -g __gpuctl_paths 'setup' 'rentals' 'rentals create' 'rentals create vm' 'rentals create bare-metal' 'rentals list' 'rentals get' 'rentals history' 'rentals summary' 'rentals wait' 'rentals ssh' 'rentals terminate' 'volumes' 'volumes create' 'volumes list' 'volumes attach' 'reserve' 'reserve convert' 'reserve extend' 'reserve request' 'user' 'user update' 'user delete' 'image' 'image models' 'image price' 'chat' 'chat models' 'tts' 'api' 'api list' 'api describe' 'api call' 'api spec' 'auth' 'auth login' 'auth logout' 'auth status' 'auth token' 'profile' 'profile list' 'profile show' 'profile add' 'profile use' 'profile remove' 'config' 'config get' 'config set' 'config unset' 'config list' 'config path' 'doctor' 'sandbox' 'sandbox serve' 'sandbox status' 'sandbox reset' 'sandbox keys' 'sandbox limits' 'sandbox fault' 'sandbox fault add' 'sandbox fault list' 'sandbox fault clear' 'sandbox clock' 'sandbox clock show' 'sandbox clock freeze' 'sandbox clock advance' 'sandbox clock set' 'sandbox clock resume' 'sandbox seed' 'sandbox snapshot' 'sandbox restore' 'sandbox requests' 'completion' 'help' 'help rentals' 'help rentals create' 'help volumes' 'help reserve' 'help user' 'help image' 'help chat' 'help api' 'help auth' 'help profile' 'help config' 'help sandbox' 'help sandbox fault' 'help sandbox clock'
set -g __gpuctl_values -o --output --columns --jq --profile --base-url --inference-base-url --timeout --retries --color --gpu-count --gpus --network-type --region --gpu-type --gpu --label --term-type --term-period-days --days --discount-percentage --ssh-public-key-id --ssh-public-key-ids --custom-ports --wait-timeout --max-burn --cuda-version --storage-volume --new-volume --new-volume-size --type --for --interval --node --size-in-gb --rental-ids --expected-total-price-cents --expected-price --expected-reserved-until --onboarded-for --name -m --model-name --model --prompt --height --width --steps --cfg-scale --negative-prompt --negative --seed --sampler --backend --prompt-2 --negative-prompt-2 --strength --lora --size --image -n --count --out --max-cost --max-tokens --temperature -s --system --top-p --stop --param --speed --file --group -f --raw-field -F --field --input --key-command --port --host --only --operation --times --after --status --retry-after --delay --cut-stream-after --limit

# Whether the words so far lead to this place and no further. With a number: whether so many words of its own are
# there; with `more` after it: so many or more.
function __gpuctl_at
    set -l words (commandline -opc)
    set -e words[1]
    set -l path
    set -l skip
    set -l own
    for word in $words
        if set -q skip[1]
            set -e skip
            continue
        end
        test "$word" = --; and return 1
        if contains -- $word $__gpuctl_values
            set skip 1
            continue
        end
        set -l next (string join ' ' -- $path $word)
        if contains -- $next $__gpuctl_paths
            set path $next
            set own
        else if not string match -q -- '-*' $word
            set -a own $word
        end
    end
    test "$path" = "$argv[1]"; or return 1
    set -q argv[2]; or return 0
    test (count $own) -eq $argv[2]; and return 0
    set -q argv[3]; and test (count $own) -gt $argv[2]
end

# What gpuctl knows of a kind of values; the flags so far say which service is asked.
function __gpuctl_live
    set -l service
    set -l next
    for word in (commandline -opc)
        if set -q next[1]
            set -a service $word
            set -e next
            continue
        end
        switch $word
            case --profile --base-url --inference-base-url --timeout --retries
                set -a service $word
                set next 1
            case --sandbox --insecure-http '--profile=*' '--base-url=*' '--inference-base-url=*' '--timeout=*' '--retries=*'
                set -a service $word
        end
    end
    command gpuctl __complete $argv[1] '' $service 2>/dev/null </dev/null
end

complete -c gpuctl -f
complete -c gpuctl -s o -l output -x -a 'table json jsonl yaml csv tsv id' -d 'Output format'
complete -c gpuctl -l columns -x -d 'Columns of a table, csv or tsv, in this order: titles, names, or dotted paths of the record'
complete -c gpuctl -l no-header -d 'Omit column titles'
complete -c gpuctl -l jq -x -d 'Filter the JSON output with jq; strings are printed raw'
complete -c gpuctl -s q -l quiet -d 'Print only errors on stderr'
complete -c gpuctl -s y -l yes -d 'Answer yes to every confirmation'
complete -c gpuctl -l no-input -d 'Never prompt'
complete -c gpuctl -l profile -x -a '(__gpuctl_live profile)' -d 'Profile to use'
complete -c gpuctl -l sandbox -d 'Use the service inside gpuctl: no account, nothing is rented'
complete -c gpuctl -l base-url -x -d 'Host of the compute API'
complete -c gpuctl -l inference-base-url -x -d 'Host of the inference API (by default the base URL)'
complete -c gpuctl -l timeout -x -d 'Time limit for one attempt (30s for compute and 5m for inference by default)'
complete -c gpuctl -l retries -x -d 'Retry reads this many times; writes are never sent twice'
complete -c gpuctl -l dry-run -d 'Print the request without sending it'
complete -c gpuctl -l no-validate -d 'Send values that exceed a documented limit and let the service decide'
complete -c gpuctl -l insecure-http -d 'Allow sending the key over plain http to another machine'
complete -c gpuctl -l debug -d 'Show requests, responses and timing on stderr, never the key'
complete -c gpuctl -l color -x -a 'auto always never' -d 'Use colours'
complete -c gpuctl -s V -l version -d 'Print the version'
complete -c gpuctl -s h -l help -d 'Show help'
complete -c gpuctl -n '__gpuctl_at \'\' 0' -a setup -d 'Set gpuctl up, step by step'
complete -c gpuctl -n '__gpuctl_at \'\' 0' -a rentals -d 'Rent GPUs: virtual machines and bare metal'
complete -c gpuctl -n '__gpuctl_at \'\' 0' -a volumes -d 'Storage volumes'
complete -c gpuctl -n '__gpuctl_at \'\' 0' -a reserve -d 'Reserved terms'
complete -c gpuctl -n '__gpuctl_at \'\' 0' -a user -d 'The current user'
complete -c gpuctl -n '__gpuctl_at \'\' 0' -a image -d 'Generate pictures'
complete -c gpuctl -n '__gpuctl_at \'\' 0' -a chat -d 'Chat with a model'
complete -c gpuctl -n '__gpuctl_at \'\' 0' -a tts -d 'Turn text into speech'
complete -c gpuctl -n '__gpuctl_at \'\' 0' -a api -d 'Call any operation of the service'
complete -c gpuctl -n '__gpuctl_at \'\' 0' -a auth -d 'API keys'
complete -c gpuctl -n '__gpuctl_at \'\' 0' -a profile -d 'Profiles: an account or the sandbox each'
complete -c gpuctl -n '__gpuctl_at \'\' 0' -a config -d 'Defaults of a profile'
complete -c gpuctl -n '__gpuctl_at \'\' 0' -a doctor -d 'Check the installation'
complete -c gpuctl -n '__gpuctl_at \'\' 0' -a sandbox -d 'The whole service on this machine'
complete -c gpuctl -n '__gpuctl_at \'\' 0' -a completion -d 'Shell completion scripts'
complete -c gpuctl -n '__gpuctl_at \'\' 0' -a help -d 'Help on commands and topics'

complete -c gpuctl -n '__gpuctl_at \'rentals\' 0' -a create -d 'vm or bare-metal'
complete -c gpuctl -n '__gpuctl_at \'rentals\' 0' -a list -d 'List the active rentals'
complete -c gpuctl -n '__gpuctl_at \'rentals\' 0' -a get -d 'Show one rental, running or ended'
complete -c gpuctl -n '__gpuctl_at \'rentals\' 0' -a history -d 'List the rentals that have ended'
complete -c gpuctl -n '__gpuctl_at \'rentals\' 0' -a summary -d 'Count the active rentals and show their hourly cost'
complete -c gpuctl -n '__gpuctl_at \'rentals\' 0' -a wait -d 'Wait until a rental is running or has ended'
complete -c gpuctl -n '__gpuctl_at \'rentals\' 0' -a ssh -d 'Open a shell on a rental, or run a command there'
complete -c gpuctl -n '__gpuctl_at \'rentals\' 0' -a terminate -d 'End rentals, where the service lists an operation for it'
complete -c gpuctl -n '__gpuctl_at \'rentals create\' 0' -a vm -d 'Rent a virtual machine'
complete -c gpuctl -n '__gpuctl_at \'rentals create\' 0' -a bare-metal -d 'Rent bare-metal machines'
complete -c gpuctl -n '__gpuctl_at \'rentals create vm\'' -l gpu-count -l gpus -x -d 'Number of GPUs'
complete -c gpuctl -n '__gpuctl_at \'rentals create vm\'' -l network-type -x -a 'infiniband ethernet' -d 'Network of the machine'
complete -c gpuctl -n '__gpuctl_at \'rentals create vm\'' -l region -x -a 'us-central-1 us-central-2 eu-north-2 eu-west-2 eu-north-4 eu-north-5 us-east-1 us-east-2 ca-east-3 eu-north-6 eu-north-7 eu-north-8 ca-west-1 ca-east-1 us-central-3 us-southeast-1 me-central-1 ca-east-2 eu-west-1 us-southeast-2 jp-east-1 us-southeast-3 eu-west-5 us-east-3' -d 'Where the machine stands'
complete -c gpuctl -n '__gpuctl_at \'rentals create vm\'' -l gpu-type -l gpu -x -a 'h100 h200 b200 rtx-6000-pro' -d 'GPU model'
complete -c gpuctl -n '__gpuctl_at \'rentals create vm\'' -l label -x -d 'Name of the rental'
complete -c gpuctl -n '__gpuctl_at \'rentals create vm\'' -l term-type -x -a 'on-demand reserved' -d 'How the rental is billed'
complete -c gpuctl -n '__gpuctl_at \'rentals create vm\'' -l term-period-days -l days -x -d 'Length of a reserved term in days'
complete -c gpuctl -n '__gpuctl_at \'rentals create vm\'' -l discount-percentage -x -d 'Discount on the price, in percent'
complete -c gpuctl -n '__gpuctl_at \'rentals create vm\'' -l monitoring-enabled -l no-monitoring-enabled -d 'Collect metrics'
complete -c gpuctl -n '__gpuctl_at \'rentals create vm\'' -l convert-to-on-demand-on-expiry -l no-convert-to-on-demand-on-expiry -d 'Go on as on-demand when the reserved term ends'
complete -c gpuctl -n '__gpuctl_at \'rentals create vm\'' -l ssh-public-key-id -x -d 'SSH public key to put on the machine'
complete -c gpuctl -n '__gpuctl_at \'rentals create vm\'' -l ssh-public-key-ids -x -d 'SSH public keys to put on the machine'
complete -c gpuctl -n '__gpuctl_at \'rentals create vm\'' -l custom-ports -x -d 'Ports to open beside SSH'
complete -c gpuctl -n '__gpuctl_at \'rentals create vm\'' -l wait -d 'Wait until the rental is running'
complete -c gpuctl -n '__gpuctl_at \'rentals create vm\'' -l wait-timeout -x -d 'Longest time to wait'
complete -c gpuctl -n '__gpuctl_at \'rentals create vm\'' -l max-burn -x -d 'Refuse when the active rentals already cost this many dollars an hour or more'
complete -c gpuctl -n '__gpuctl_at \'rentals create bare-metal\'' -l network-type -x -a 'infiniband ethernet' -d 'Network between the machines'
complete -c gpuctl -n '__gpuctl_at \'rentals create bare-metal\'' -l gpu-count -l gpus -x -d 'Number of GPUs; a machine has 8'
complete -c gpuctl -n '__gpuctl_at \'rentals create bare-metal\'' -l region -x -a 'us-central-1 uk-central-3 uk-southeast-3 eu-southwest-3 eu-southwest-3-1 eu-west-3 eu-west-4' -d 'Where the machines stand'
complete -c gpuctl -n '__gpuctl_at \'rentals create bare-metal\'' -l gpu-type -l gpu -x -a 'h100 h200 b200 rtx-6000-pro' -d 'GPU model'
complete -c gpuctl -n '__gpuctl_at \'rentals create bare-metal\'' -l label -x -d 'Name of the rental'
complete -c gpuctl -n '__gpuctl_at \'rentals create bare-metal\'' -l term-type -x -a 'on-demand reserved' -d 'How the rental is billed'
complete -c gpuctl -n '__gpuctl_at \'rentals create bare-metal\'' -l term-period-days -l days -x -d 'Length of a reserved term in days'
complete -c gpuctl -n '__gpuctl_at \'rentals create bare-metal\'' -l discount-percentage -x -d 'Discount on the price, in percent'
complete -c gpuctl -n '__gpuctl_at \'rentals create bare-metal\'' -l monitoring-enabled -l no-monitoring-enabled -d 'Collect metrics'
complete -c gpuctl -n '__gpuctl_at \'rentals create bare-metal\'' -l convert-to-on-demand-on-expiry -l no-convert-to-on-demand-on-expiry -d 'Go on as on-demand when the reserved term ends'
complete -c gpuctl -n '__gpuctl_at \'rentals create bare-metal\'' -l ssh-public-key-id -x -d 'SSH public key to put on the machine'
complete -c gpuctl -n '__gpuctl_at \'rentals create bare-metal\'' -l ssh-public-key-ids -x -d 'SSH public keys to put on the machine'
complete -c gpuctl -n '__gpuctl_at \'rentals create bare-metal\'' -l cuda-version -x -a 'cuda12.8 cuda12.9' -d 'CUDA version to install'
complete -c gpuctl -n '__gpuctl_at \'rentals create bare-metal\'' -l storage-volume -x -a '(__gpuctl_live volume)' -d 'Existing storage volume to attach'
complete -c gpuctl -n '__gpuctl_at \'rentals create bare-metal\'' -l new-volume -x -d 'Create a storage volume with this label and attach it; requires --new-volume-size'
complete -c gpuctl -n '__gpuctl_at \'rentals create bare-metal\'' -l new-volume-size -x -d 'Size of the new volume'
complete -c gpuctl -n '__gpuctl_at \'rentals create bare-metal\'' -l wait -d 'Wait until the rental is running'
complete -c gpuctl -n '__gpuctl_at \'rentals create bare-metal\'' -l wait-timeout -x -d 'Longest time to wait'
complete -c gpuctl -n '__gpuctl_at \'rentals create bare-metal\'' -l max-burn -x -d 'Refuse when the active rentals already cost this many dollars an hour or more'
complete -c gpuctl -n '__gpuctl_at \'rentals list\'' -l include-cluster-pools -l no-include-cluster-pools -d 'Also list rentals that belong to cluster pools'
complete -c gpuctl -n '__gpuctl_at \'rentals list\'' -l type -x -a 'vm bare-metal' -d 'List only this type; both by default'
complete -c gpuctl -n '__gpuctl_at \'rentals list\'' -l watch -d 'Refresh until Ctrl-C, and mark what changed'
complete -c gpuctl -n '__gpuctl_at \'rentals get\' 0' -a '(__gpuctl_live rental)'


complete -c gpuctl -n '__gpuctl_at \'rentals wait\' 0' -a '(__gpuctl_live rental)'
complete -c gpuctl -n '__gpuctl_at \'rentals wait\'' -l for -x -a 'running active terminated' -d 'State to wait for'
complete -c gpuctl -n '__gpuctl_at \'rentals wait\'' -l interval -x -d 'Time between two checks'
complete -c gpuctl -n '__gpuctl_at \'rentals wait\'' -l wait-timeout -x -d 'Longest time to wait'
complete -c gpuctl -n '__gpuctl_at \'rentals ssh\' 0' -a '(__gpuctl_live rental)'
complete -c gpuctl -n '__gpuctl_at \'rentals ssh\'' -l node -x -d 'Which machine of several, counted from 1; the first by default'
complete -c gpuctl -n '__gpuctl_at \'rentals ssh\'' -l print -d 'Print the command line instead of running it'
complete -c gpuctl -n '__gpuctl_at \'rentals ssh\'' -l wait -d 'Wait until the rental can be reached'
complete -c gpuctl -n '__gpuctl_at \'rentals ssh\'' -l wait-timeout -x -d 'Longest time to wait'
complete -c gpuctl -n '__gpuctl_at \'rentals terminate\' 0 more' -a '(__gpuctl_live rental)'
complete -c gpuctl -n '__gpuctl_at \'volumes\' 0' -a create -d 'Create a storage volume'
complete -c gpuctl -n '__gpuctl_at \'volumes\' 0' -a list -d 'List the storage volumes'
complete -c gpuctl -n '__gpuctl_at \'volumes\' 0' -a attach -d 'Attach a storage volume to bare-metal rentals'
complete -c gpuctl -n '__gpuctl_at \'volumes create\'' -l region -x -a 'us-central-1 us-central-2 eu-north-2 eu-west-2 eu-north-4 eu-north-5 us-east-1 us-east-2 ca-east-3 eu-north-6 eu-north-7 eu-north-8 ca-west-1 ca-east-1 us-central-3 us-southeast-1 me-central-1 ca-east-2 eu-west-1 us-southeast-2 jp-east-1 us-southeast-3 eu-west-5 us-east-3 uk-central-3 uk-southeast-3 eu-southwest-3 eu-southwest-3-1 eu-west-3 eu-west-4' -d 'Where the volume is kept'
complete -c gpuctl -n '__gpuctl_at \'volumes create\'' -l label -x -d 'Label: letters, digits, underscores and dashes'
complete -c gpuctl -n '__gpuctl_at \'volumes create\'' -l size-in-gb -x -d 'Size in GB'
complete -c gpuctl -n '__gpuctl_at \'volumes create\'' -l rental-ids -x -a '(__gpuctl_live rental)' -d 'Rentals to attach it to'

complete -c gpuctl -n '__gpuctl_at \'volumes attach\' 0' -a '(__gpuctl_live volume)'
complete -c gpuctl -n '__gpuctl_at \'volumes attach\' 1 more' -a '(__gpuctl_live rental)'
complete -c gpuctl -n '__gpuctl_at \'reserve\' 0' -a convert -d 'Convert an on-demand rental to a reserved term'
complete -c gpuctl -n '__gpuctl_at \'reserve\' 0' -a extend -d 'Extend a reserved term'
complete -c gpuctl -n '__gpuctl_at \'reserve\' 0' -a request -d 'Request a reservation of many GPUs'
complete -c gpuctl -n '__gpuctl_at \'reserve convert\' 0' -a '(__gpuctl_live rental)'
complete -c gpuctl -n '__gpuctl_at \'reserve convert\'' -l term-period-days -l days -x -d 'Length of the reserved term in days'
complete -c gpuctl -n '__gpuctl_at \'reserve convert\'' -l expected-total-price-cents -x -d 'Total price that you expect to pay, in cents'
complete -c gpuctl -n '__gpuctl_at \'reserve convert\'' -l expected-price -x -d 'The same as --expected-total-price-cents, in dollars such as 1234.50'
complete -c gpuctl -n '__gpuctl_at \'reserve extend\' 0' -a '(__gpuctl_live rental)'
complete -c gpuctl -n '__gpuctl_at \'reserve extend\'' -l term-period-days -l days -x -d 'Length of the reserved term in days'
complete -c gpuctl -n '__gpuctl_at \'reserve extend\'' -l expected-total-price-cents -x -d 'Total price that you expect to pay, in cents'
complete -c gpuctl -n '__gpuctl_at \'reserve extend\'' -l expected-reserved-until -x -d 'End of the term that you expect after the extension'
complete -c gpuctl -n '__gpuctl_at \'reserve extend\'' -l expected-price -x -d 'The same as --expected-total-price-cents, in dollars such as 1234.50'
complete -c gpuctl -n '__gpuctl_at \'reserve request\'' -l gpu-count -l gpus -x -d 'Number of GPUs'
complete -c gpuctl -n '__gpuctl_at \'user\' 0' -a update -d 'Change the current user'
complete -c gpuctl -n '__gpuctl_at \'user\' 0' -a delete -d 'Delete the current user'
complete -c gpuctl -n '__gpuctl_at \'user update\'' -l onboarded-for -x -d 'What the account is used for'
complete -c gpuctl -n '__gpuctl_at \'user update\'' -l name -x -d 'Name of the user'

complete -c gpuctl -n '__gpuctl_at \'image\' 0' -a models -d 'List the image models and what they can do'
complete -c gpuctl -n '__gpuctl_at \'image\' 0' -a price -d 'Show what pictures cost'
complete -c gpuctl -n '__gpuctl_at \'image\'' -s m -l model-name -l model -x -a 'FLUX.1-dev SDXL1.0-base SDXL-turbo SD2 SD1.5 SSD' -d 'Image model'
complete -c gpuctl -n '__gpuctl_at \'image\'' -l prompt -x -d 'What the picture shows'
complete -c gpuctl -n '__gpuctl_at \'image\'' -l height -x -d 'Height in pixels'
complete -c gpuctl -n '__gpuctl_at \'image\'' -l width -x -d 'Width in pixels'
complete -c gpuctl -n '__gpuctl_at \'image\'' -l steps -x -d 'Inference steps'
complete -c gpuctl -n '__gpuctl_at \'image\'' -l cfg-scale -x -d 'How closely to follow the prompt; 5 to 15 is usual'
complete -c gpuctl -n '__gpuctl_at \'image\'' -l negative-prompt -l negative -x -d 'What the picture must not show'
complete -c gpuctl -n '__gpuctl_at \'image\'' -l seed -x -d 'Seed; the same seed gives the same picture'
complete -c gpuctl -n '__gpuctl_at \'image\'' -l sampler -x -d 'Sampler'
complete -c gpuctl -n '__gpuctl_at \'image\'' -l backend -x -a 'auto tvm torch' -d 'auto picks by itself, tvm is made for speed, torch is more flexible'
complete -c gpuctl -n '__gpuctl_at \'image\'' -l prompt-2 -x -d 'Second prompt (SDXL models)'
complete -c gpuctl -n '__gpuctl_at \'image\'' -l negative-prompt-2 -x -d 'Second negative prompt (SDXL models)'
complete -c gpuctl -n '__gpuctl_at \'image\'' -l enable-refiner -l no-enable-refiner -d 'Run the refiner (SDXL models)'
complete -c gpuctl -n '__gpuctl_at \'image\'' -l strength -x -d 'How far the picture moves away from the reference'
complete -c gpuctl -n '__gpuctl_at \'image\'' -l lora -x -d 'LoRA weights by name (SDXL1.0-base, SD1.5)'
complete -c gpuctl -n '__gpuctl_at \'image\'' -l size -x -d 'Width and height in pixels'
complete -c gpuctl -n '__gpuctl_at \'image\'' -l image -r -F -d 'Reference picture (PNG, JPEG or WebP), - for stdin'
complete -c gpuctl -n '__gpuctl_at \'image\'' -s n -l count -x -d 'Number of pictures'
complete -c gpuctl -n '__gpuctl_at \'image\'' -l out -r -F -d 'Where to save the picture: a file, a folder, a template such as {slug}-{seed}.{ext}, or - for stdout'
complete -c gpuctl -n '__gpuctl_at \'image\'' -l force -d 'Replace an existing file'
complete -c gpuctl -n '__gpuctl_at \'image\'' -l max-cost -x -d 'Refuse when the pictures would cost more than this many dollars'
complete -c gpuctl -n '__gpuctl_at \'image\'' -l no-metadata -d 'Leave the settings out of the PNG'

complete -c gpuctl -n '__gpuctl_at \'image price\'' -l size -x -d 'Width and height in pixels'
complete -c gpuctl -n '__gpuctl_at \'image price\'' -l steps -x -d 'Inference steps'
complete -c gpuctl -n '__gpuctl_at \'image price\'' -s n -l count -x -d 'Number of pictures'
complete -c gpuctl -n '__gpuctl_at \'chat\' 0' -a models -d 'List the chat models, if the service lists them'
complete -c gpuctl -n '__gpuctl_at \'chat\'' -s m -l model -x -d 'Chat model'
complete -c gpuctl -n '__gpuctl_at \'chat\'' -l max-tokens -x -d 'Longest answer, in tokens'
complete -c gpuctl -n '__gpuctl_at \'chat\'' -l temperature -x -d 'Randomness of the answer'
complete -c gpuctl -n '__gpuctl_at \'chat\'' -s s -l system -x -d 'Instructions for the model; @FILE reads a file'
complete -c gpuctl -n '__gpuctl_at \'chat\'' -l top-p -x -d 'Nucleus sampling'
complete -c gpuctl -n '__gpuctl_at \'chat\'' -l stop -x -d 'Text that ends the response'
complete -c gpuctl -n '__gpuctl_at \'chat\'' -l seed -x -d 'Seed for sampling'
complete -c gpuctl -n '__gpuctl_at \'chat\'' -l param -x -d 'Any other field that the service accepts'
complete -c gpuctl -n '__gpuctl_at \'chat\'' -l no-stream -d 'Print the response once it is complete'
complete -c gpuctl -n '__gpuctl_at \'chat\'' -l usage -d 'Report the number of tokens on stderr'

complete -c gpuctl -n '__gpuctl_at \'tts\'' -l speed -x -d 'Speed; 1 is normal'
complete -c gpuctl -n '__gpuctl_at \'tts\'' -l file -r -F -d 'Read the text from a file'
complete -c gpuctl -n '__gpuctl_at \'tts\'' -l param -x -d 'Any other field that the service accepts'
complete -c gpuctl -n '__gpuctl_at \'tts\'' -l out -r -F -d 'Where to save the recording: a file, a folder, a template such as {slug}-{seed}.{ext}, or - for stdout'
complete -c gpuctl -n '__gpuctl_at \'tts\'' -l force -d 'Replace an existing file'
complete -c gpuctl -n '__gpuctl_at \'api\' 0' -a list -d 'List the operations that the service offers'
complete -c gpuctl -n '__gpuctl_at \'api\' 0' -a describe -d 'Show what an operation takes and returns'
complete -c gpuctl -n '__gpuctl_at \'api\' 0' -a call -d 'Call any operation of the service'
complete -c gpuctl -n '__gpuctl_at \'api\' 0' -a spec -d 'Print the service\'s own OpenAPI description'
complete -c gpuctl -n '__gpuctl_at \'api list\'' -l group -x -d 'Only the operations of this group'
complete -c gpuctl -n '__gpuctl_at \'api describe\' 1' -F
complete -c gpuctl -n '__gpuctl_at \'api call\' 1' -F
complete -c gpuctl -n '__gpuctl_at \'api call\'' -s f -l raw-field -x -d 'A field as text; a[b]=1, a[]=1 and a[][b]=1 fill objects and lists'
complete -c gpuctl -n '__gpuctl_at \'api call\'' -s F -l field -x -d 'A field that may be a number, true, false or null; @FILE reads a file, - reads stdin'
complete -c gpuctl -n '__gpuctl_at \'api call\'' -l input -r -F -d 'The whole body, as JSON; - is stdin'
complete -c gpuctl -n '__gpuctl_at \'api call\'' -s i -l include -d 'Print the status and the headers of the response first'
complete -c gpuctl -n '__gpuctl_at \'api call\'' -l paginate -d 'Follow the pages of a listing and print one array'
complete -c gpuctl -n '__gpuctl_at \'api spec\'' -l refresh -d 'Fetch the description even if it was cached less than a day ago'
complete -c gpuctl -n '__gpuctl_at \'auth\' 0' -a login -d 'Store an API key and its hosts in a profile'
complete -c gpuctl -n '__gpuctl_at \'auth\' 0' -a logout -d 'Remove the API key from a profile'
complete -c gpuctl -n '__gpuctl_at \'auth\' 0' -a status -d 'Show the key in use, where it comes from, and whether the service accepts it'
complete -c gpuctl -n '__gpuctl_at \'auth\' 0' -a token -d 'Print the API key in use'
complete -c gpuctl -n '__gpuctl_at \'auth login\'' -l with-token -d 'Read the key from stdin'
complete -c gpuctl -n '__gpuctl_at \'auth login\'' -l key-command -x -d 'Store a command line that prints the key instead of the key'



complete -c gpuctl -n '__gpuctl_at \'profile\' 0' -a list -d 'List the profiles and mark the one in use'
complete -c gpuctl -n '__gpuctl_at \'profile\' 0' -a show -d 'Show a profile\'s settings and where its key comes from'
complete -c gpuctl -n '__gpuctl_at \'profile\' 0' -a add -d 'Create a profile for an account or the sandbox'
complete -c gpuctl -n '__gpuctl_at \'profile\' 0' -a use -d 'Switch to a profile'
complete -c gpuctl -n '__gpuctl_at \'profile\' 0' -a remove -d 'Remove a profile and its key'

complete -c gpuctl -n '__gpuctl_at \'profile show\' 0' -a '(__gpuctl_live profile)'
complete -c gpuctl -n '__gpuctl_at \'profile add\'' -l key-command -x -d 'Command line that prints the API key'
complete -c gpuctl -n '__gpuctl_at \'profile use\' 0' -a '(__gpuctl_live profile)'
complete -c gpuctl -n '__gpuctl_at \'profile remove\' 0' -a '(__gpuctl_live profile)'
complete -c gpuctl -n '__gpuctl_at \'config\' 0' -a get -d 'Print a value set in the profile'
complete -c gpuctl -n '__gpuctl_at \'config\' 0' -a set -d 'Set a default in the profile'
complete -c gpuctl -n '__gpuctl_at \'config\' 0' -a unset -d 'Remove a default from the profile'
complete -c gpuctl -n '__gpuctl_at \'config\' 0' -a list -d 'List every key with its value, source and meaning'
complete -c gpuctl -n '__gpuctl_at \'config\' 0' -a path -d 'Print the path of the configuration file'
complete -c gpuctl -n '__gpuctl_at \'config get\' 0' -a 'baseUrl inferenceBaseUrl sandbox apiKeyCommand output timeout retries rentals.region rentals.gpuType image.model chat.model budget.maxCost budget.maxBurn'
complete -c gpuctl -n '__gpuctl_at \'config set\' 0' -a 'baseUrl inferenceBaseUrl sandbox apiKeyCommand output timeout retries rentals.region rentals.gpuType image.model chat.model budget.maxCost budget.maxBurn'
complete -c gpuctl -n '__gpuctl_at \'config unset\' 0' -a 'baseUrl inferenceBaseUrl sandbox apiKeyCommand output timeout retries rentals.region rentals.gpuType image.model chat.model budget.maxCost budget.maxBurn'



complete -c gpuctl -n '__gpuctl_at \'sandbox\' 0' -a serve -d 'Serve the sandbox over HTTP, for curl, SDKs and browsers'
complete -c gpuctl -n '__gpuctl_at \'sandbox\' 0' -a status -d 'Show what the sandbox holds and where'
complete -c gpuctl -n '__gpuctl_at \'sandbox\' 0' -a reset -d 'Delete everything in the sandbox and start over'
complete -c gpuctl -n '__gpuctl_at \'sandbox\' 0' -a keys -d 'Show the sandbox\'s own keys, for curl and SDKs'
complete -c gpuctl -n '__gpuctl_at \'sandbox\' 0' -a limits -d 'List what the service leaves open and the sandbox decided'
complete -c gpuctl -n '__gpuctl_at \'sandbox\' 0' -a fault -d 'add or list or clear'
complete -c gpuctl -n '__gpuctl_at \'sandbox\' 0' -a clock -d 'show or freeze or advance or set or resume'
complete -c gpuctl -n '__gpuctl_at \'sandbox\' 0' -a seed -d 'Replace what the sandbox holds with the contents of a file'
complete -c gpuctl -n '__gpuctl_at \'sandbox\' 0' -a snapshot -d 'Save the whole state of the sandbox'
complete -c gpuctl -n '__gpuctl_at \'sandbox\' 0' -a restore -d 'Restore the sandbox from a snapshot'
complete -c gpuctl -n '__gpuctl_at \'sandbox\' 0' -a requests -d 'List the last requests and what was wrong with them'
complete -c gpuctl -n '__gpuctl_at \'sandbox serve\'' -l port -x -d 'Port to listen on; 0 picks a free one'
complete -c gpuctl -n '__gpuctl_at \'sandbox serve\'' -l host -x -d 'Address to listen on'
complete -c gpuctl -n '__gpuctl_at \'sandbox serve\'' -l only -x -a 'documented replacements legacy' -d 'Serve only these operations; all documented and assumed ones when left out'




complete -c gpuctl -n '__gpuctl_at \'sandbox fault\' 0' -a add -d 'Make calls to the sandbox fail'
complete -c gpuctl -n '__gpuctl_at \'sandbox fault\' 0' -a list -d 'List the faults, including those used up'
complete -c gpuctl -n '__gpuctl_at \'sandbox fault\' 0' -a clear -d 'Remove a fault, or all of them'
complete -c gpuctl -n '__gpuctl_at \'sandbox fault add\'' -l operation -x -d 'Calls that fail, by the operation id in `gpuctl api spec`; * for all'
complete -c gpuctl -n '__gpuctl_at \'sandbox fault add\'' -l times -x -d 'Number of calls that fail'
complete -c gpuctl -n '__gpuctl_at \'sandbox fault add\'' -l after -x -d 'Number of calls that succeed first'
complete -c gpuctl -n '__gpuctl_at \'sandbox fault add\'' -l status -x -d 'Respond with this status, from 400 to 599'
complete -c gpuctl -n '__gpuctl_at \'sandbox fault add\'' -l retry-after -x -d 'Time to wait before a retry, as the response gives it'
complete -c gpuctl -n '__gpuctl_at \'sandbox fault add\'' -l delay -x -d 'Wait this long first, in real time'
complete -c gpuctl -n '__gpuctl_at \'sandbox fault add\'' -l reset -d 'Break the connection'
complete -c gpuctl -n '__gpuctl_at \'sandbox fault add\'' -l cut-stream-after -x -d 'End the response after N events, or N KiB when it is not a stream; with --reset by breaking the connection'
complete -c gpuctl -n '__gpuctl_at \'sandbox fault add\'' -l garbage -d 'Respond with a body that is not JSON'
complete -c gpuctl -n '__gpuctl_at \'sandbox fault add\'' -l applied -d 'Let the operation take effect first'


complete -c gpuctl -n '__gpuctl_at \'sandbox clock\' 0' -a show -d 'Show the sandbox\'s time'
complete -c gpuctl -n '__gpuctl_at \'sandbox clock\' 0' -a freeze -d 'Stop the sandbox\'s clock'
complete -c gpuctl -n '__gpuctl_at \'sandbox clock\' 0' -a advance -d 'Let time pass in the sandbox'
complete -c gpuctl -n '__gpuctl_at \'sandbox clock\' 0' -a set -d 'Move the sandbox\'s clock forward to a time'
complete -c gpuctl -n '__gpuctl_at \'sandbox clock\' 0' -a resume -d 'Restart the sandbox\'s clock from where it stopped'





complete -c gpuctl -n '__gpuctl_at \'sandbox seed\' 0' -F
complete -c gpuctl -n '__gpuctl_at \'sandbox snapshot\' 0' -F
complete -c gpuctl -n '__gpuctl_at \'sandbox snapshot\'' -l force -d 'Replace an existing file'
complete -c gpuctl -n '__gpuctl_at \'sandbox restore\' 0' -F
complete -c gpuctl -n '__gpuctl_at \'sandbox requests\'' -l limit -x -d 'Maximum number of requests'
complete -c gpuctl -n '__gpuctl_at \'completion\' 0' -a 'bash zsh fish powershell'
complete -c gpuctl -n '__gpuctl_at \'help\' 0' -a exit-codes -d 'What each exit code means to a script'
complete -c gpuctl -n '__gpuctl_at \'help\' 0' -a environment -d 'Environment variables and files that gpuctl uses'
complete -c gpuctl -n '__gpuctl_at \'help\' 0' -a output -d 'Output formats, streams and machine-readable errors'
complete -c gpuctl -n '__gpuctl_at \'help\' 0' -a setup -d 'Set gpuctl up, step by step'
complete -c gpuctl -n '__gpuctl_at \'help\' 0' -a rentals -d 'Rent GPUs: virtual machines and bare metal'
complete -c gpuctl -n '__gpuctl_at \'help\' 0' -a volumes -d 'Storage volumes'
complete -c gpuctl -n '__gpuctl_at \'help\' 0' -a reserve -d 'Reserved terms'
complete -c gpuctl -n '__gpuctl_at \'help\' 0' -a user -d 'The current user'
complete -c gpuctl -n '__gpuctl_at \'help\' 0' -a image -d 'Generate pictures'
complete -c gpuctl -n '__gpuctl_at \'help\' 0' -a chat -d 'Chat with a model'
complete -c gpuctl -n '__gpuctl_at \'help\' 0' -a tts -d 'Turn text into speech'
complete -c gpuctl -n '__gpuctl_at \'help\' 0' -a api -d 'Call any operation of the service'
complete -c gpuctl -n '__gpuctl_at \'help\' 0' -a auth -d 'API keys'
complete -c gpuctl -n '__gpuctl_at \'help\' 0' -a profile -d 'Profiles: an account or the sandbox each'
complete -c gpuctl -n '__gpuctl_at \'help\' 0' -a config -d 'Defaults of a profile'
complete -c gpuctl -n '__gpuctl_at \'help\' 0' -a doctor -d 'Check the installation'
complete -c gpuctl -n '__gpuctl_at \'help\' 0' -a sandbox -d 'The whole service on this machine'
complete -c gpuctl -n '__gpuctl_at \'help\' 0' -a completion -d 'Shell completion scripts'
complete -c gpuctl -n '__gpuctl_at \'help\' 0' -a help -d 'Help on commands and topics'
complete -c gpuctl -n '__gpuctl_at \'help rentals\' 0' -a create -d 'vm or bare-metal'
complete -c gpuctl -n '__gpuctl_at \'help rentals\' 0' -a list -d 'List the active rentals'
complete -c gpuctl -n '__gpuctl_at \'help rentals\' 0' -a get -d 'Show one rental, running or ended'
complete -c gpuctl -n '__gpuctl_at \'help rentals\' 0' -a history -d 'List the rentals that have ended'
complete -c gpuctl -n '__gpuctl_at \'help rentals\' 0' -a summary -d 'Count the active rentals and show their hourly cost'
complete -c gpuctl -n '__gpuctl_at \'help rentals\' 0' -a wait -d 'Wait until a rental is running or has ended'
complete -c gpuctl -n '__gpuctl_at \'help rentals\' 0' -a ssh -d 'Open a shell on a rental, or run a command there'
complete -c gpuctl -n '__gpuctl_at \'help rentals\' 0' -a terminate -d 'End rentals, where the service lists an operation for it'
complete -c gpuctl -n '__gpuctl_at \'help rentals create\' 0' -a vm -d 'Rent a virtual machine'
complete -c gpuctl -n '__gpuctl_at \'help rentals create\' 0' -a bare-metal -d 'Rent bare-metal machines'
complete -c gpuctl -n '__gpuctl_at \'help volumes\' 0' -a create -d 'Create a storage volume'
complete -c gpuctl -n '__gpuctl_at \'help volumes\' 0' -a list -d 'List the storage volumes'
complete -c gpuctl -n '__gpuctl_at \'help volumes\' 0' -a attach -d 'Attach a storage volume to bare-metal rentals'
complete -c gpuctl -n '__gpuctl_at \'help reserve\' 0' -a convert -d 'Convert an on-demand rental to a reserved term'
complete -c gpuctl -n '__gpuctl_at \'help reserve\' 0' -a extend -d 'Extend a reserved term'
complete -c gpuctl -n '__gpuctl_at \'help reserve\' 0' -a request -d 'Request a reservation of many GPUs'
complete -c gpuctl -n '__gpuctl_at \'help user\' 0' -a update -d 'Change the current user'
complete -c gpuctl -n '__gpuctl_at \'help user\' 0' -a delete -d 'Delete the current user'
complete -c gpuctl -n '__gpuctl_at \'help image\' 0' -a models -d 'List the image models and what they can do'
complete -c gpuctl -n '__gpuctl_at \'help image\' 0' -a price -d 'Show what pictures cost'
complete -c gpuctl -n '__gpuctl_at \'help chat\' 0' -a models -d 'List the chat models, if the service lists them'
complete -c gpuctl -n '__gpuctl_at \'help api\' 0' -a list -d 'List the operations that the service offers'
complete -c gpuctl -n '__gpuctl_at \'help api\' 0' -a describe -d 'Show what an operation takes and returns'
complete -c gpuctl -n '__gpuctl_at \'help api\' 0' -a call -d 'Call any operation of the service'
complete -c gpuctl -n '__gpuctl_at \'help api\' 0' -a spec -d 'Print the service\'s own OpenAPI description'
complete -c gpuctl -n '__gpuctl_at \'help auth\' 0' -a login -d 'Store an API key and its hosts in a profile'
complete -c gpuctl -n '__gpuctl_at \'help auth\' 0' -a logout -d 'Remove the API key from a profile'
complete -c gpuctl -n '__gpuctl_at \'help auth\' 0' -a status -d 'Show the key in use, where it comes from, and whether the service accepts it'
complete -c gpuctl -n '__gpuctl_at \'help auth\' 0' -a token -d 'Print the API key in use'
complete -c gpuctl -n '__gpuctl_at \'help profile\' 0' -a list -d 'List the profiles and mark the one in use'
complete -c gpuctl -n '__gpuctl_at \'help profile\' 0' -a show -d 'Show a profile\'s settings and where its key comes from'
complete -c gpuctl -n '__gpuctl_at \'help profile\' 0' -a add -d 'Create a profile for an account or the sandbox'
complete -c gpuctl -n '__gpuctl_at \'help profile\' 0' -a use -d 'Switch to a profile'
complete -c gpuctl -n '__gpuctl_at \'help profile\' 0' -a remove -d 'Remove a profile and its key'
complete -c gpuctl -n '__gpuctl_at \'help config\' 0' -a get -d 'Print a value set in the profile'
complete -c gpuctl -n '__gpuctl_at \'help config\' 0' -a set -d 'Set a default in the profile'
complete -c gpuctl -n '__gpuctl_at \'help config\' 0' -a unset -d 'Remove a default from the profile'
complete -c gpuctl -n '__gpuctl_at \'help config\' 0' -a list -d 'List every key with its value, source and meaning'
complete -c gpuctl -n '__gpuctl_at \'help config\' 0' -a path -d 'Print the path of the configuration file'
complete -c gpuctl -n '__gpuctl_at \'help sandbox\' 0' -a serve -d 'Serve the sandbox over HTTP, for curl, SDKs and browsers'
complete -c gpuctl -n '__gpuctl_at \'help sandbox\' 0' -a status -d 'Show what the sandbox holds and where'
complete -c gpuctl -n '__gpuctl_at \'help sandbox\' 0' -a reset -d 'Delete everything in the sandbox and start over'
complete -c gpuctl -n '__gpuctl_at \'help sandbox\' 0' -a keys -d 'Show the sandbox\'s own keys, for curl and SDKs'
complete -c gpuctl -n '__gpuctl_at \'help sandbox\' 0' -a limits -d 'List what the service leaves open and the sandbox decided'
complete -c gpuctl -n '__gpuctl_at \'help sandbox\' 0' -a fault -d 'add or list or clear'
complete -c gpuctl -n '__gpuctl_at \'help sandbox\' 0' -a clock -d 'show or freeze or advance or set or resume'
complete -c gpuctl -n '__gpuctl_at \'help sandbox\' 0' -a seed -d 'Replace what the sandbox holds with the contents of a file'
complete -c gpuctl -n '__gpuctl_at \'help sandbox\' 0' -a snapshot -d 'Save the whole state of the sandbox'
complete -c gpuctl -n '__gpuctl_at \'help sandbox\' 0' -a restore -d 'Restore the sandbox from a snapshot'
complete -c gpuctl -n '__gpuctl_at \'help sandbox\' 0' -a requests -d 'List the last requests and what was wrong with them'
complete -c gpuctl -n '__gpuctl_at \'help sandbox fault\' 0' -a add -d 'Make calls to the sandbox fail'
complete -c gpuctl -n '__gpuctl_at \'help sandbox fault\' 0' -a list -d 'List the faults, including those used up'
complete -c gpuctl -n '__gpuctl_at \'help sandbox fault\' 0' -a clear -d 'Remove a fault, or all of them'
complete -c gpuctl -n '__gpuctl_at \'help sandbox clock\' 0' -a show -d 'Show the sandbox\'s time'
complete -c gpuctl -n '__gpuctl_at \'help sandbox clock\' 0' -a freeze -d 'Stop the sandbox\'s clock'
complete -c gpuctl -n '__gpuctl_at \'help sandbox clock\' 0' -a advance -d 'Let time pass in the sandbox'
complete -c gpuctl -n '__gpuctl_at \'help sandbox clock\' 0' -a set -d 'Move the sandbox\'s clock forward to a time'
complete -c gpuctl -n '__gpuctl_at \'help sandbox clock\' 0' -a resume -d 'Restart the sandbox\'s clock from where it stopped'
