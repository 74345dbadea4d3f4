# bash completion for gpuctl. Made by `npm run generate`; do not edit.

_gpuctl() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  if [[ $cur == "=" ]]; then
    cur=""
  elif [[ $prev == "=" ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi

  local path="" skip="" word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ -n $skip ]]; then
      skip=""
      continue
    fi
    case $word in
      --) return ;;
      -o|--output|--columns|--jq|--profile|--base-url|--inference-base-url|--timeout|--retries|--color|--gpu-count|--gpus|--network-type|--region|--gpu-type|--gpu|--label|--term-type|--term-period-days|--days|--discount-percentage|--ssh-public-key-id|--ssh-public-key-ids|--custom-ports|--wait-timeout|--max-burn|--cuda-version|--storage-volume|--new-volume|--new-volume-size|--type|--for|--interval|--node|--size-in-gb|--rental-ids|--expected-total-price-cents|--expected-price|--expected-reserved-until|--onboarded-for|--name|-m|--model-name|--model|--prompt|--height|--width|--steps|--cfg-scale|--negative-prompt|--negative|--seed|--sampler|--backend|--prompt-2|--negative-prompt-2|--strength|--lora|--size|--image|-n|--count|--out|--max-cost|--max-tokens|--temperature|-s|--system|--top-p|--stop|--param|--speed|--file|--port|--host) skip=1 ;;
    esac
    case "$path $word" in
      " rentals"|" rentals create"|" rentals create vm"|" rentals create bare-metal"|" rentals list"|" rentals get"|" rentals history"|" rentals summary"|" rentals wait"|" rentals ssh"|" volumes"|" volumes create"|" volumes list"|" volumes attach"|" reserve"|" reserve convert"|" reserve extend"|" reserve request"|" user"|" user update"|" user delete"|" image"|" image models"|" image price"|" chat"|" tts"|" api"|" api spec"|" auth"|" auth login"|" auth logout"|" auth status"|" doctor"|" sandbox"|" sandbox serve"|" sandbox status"|" sandbox reset"|" sandbox keys"|" sandbox limits") path="$path $word" ;;
    esac
  done
  path=${path# }

  local commands="" flags=""
  case $path in
    "") commands="rentals volumes reserve user image chat tts api auth doctor sandbox" flags="" ;;
    "rentals") commands="create list get history summary wait ssh" flags="" ;;
    "rentals create") commands="vm bare-metal" flags="" ;;
    "rentals create vm") commands="" flags="--gpu-count --gpus --network-type --region --gpu-type --gpu --label --term-type --term-period-days --days --discount-percentage --monitoring-enabled --no-monitoring-enabled --convert-to-on-demand-on-expiry --no-convert-to-on-demand-on-expiry --ssh-public-key-id --ssh-public-key-ids --custom-ports --wait --wait-timeout --max-burn" ;;
    "rentals create bare-metal") commands="" flags="--network-type --gpu-count --gpus --region --gpu-type --gpu --label --term-type --term-period-days --days --discount-percentage --monitoring-enabled --no-monitoring-enabled --convert-to-on-demand-on-expiry --no-convert-to-on-demand-on-expiry --ssh-public-key-id --ssh-public-key-ids --cuda-version --storage-volume --new-volume --new-volume-size --wait --wait-timeout --max-burn" ;;
    "rentals list") commands="" flags="--include-cluster-pools --no-include-cluster-pools --type --watch" ;;
    "rentals get") commands="" flags="" ;;
    "rentals history") commands="" flags="" ;;
    "rentals summary") commands="" flags="" ;;
    "rentals wait") commands="" flags="--for --interval --wait-timeout" ;;
    "rentals ssh") commands="" flags="--node --print --wait --wait-timeout" ;;
    "volumes") commands="create list attach" flags="" ;;
    "volumes create") commands="" flags="--region --label --size-in-gb --rental-ids" ;;
    "volumes list") commands="" flags="" ;;
    "volumes attach") commands="" flags="" ;;
    "reserve") commands="convert extend request" flags="" ;;
    "reserve convert") commands="" flags="--term-period-days --days --expected-total-price-cents --expected-price" ;;
    "reserve extend") commands="" flags="--term-period-days --days --expected-total-price-cents --expected-reserved-until --expected-price" ;;
    "reserve request") commands="" flags="--gpu-count --gpus" ;;
    "user") commands="update delete" flags="" ;;
    "user update") commands="" flags="--onboarded-for --name" ;;
    "user delete") commands="" flags="" ;;
    "image") commands="models price" flags="-m --model-name --model --prompt --height --width --steps --cfg-scale --negative-prompt --negative --seed --sampler --backend --prompt-2 --negative-prompt-2 --enable-refiner --no-enable-refiner --strength --lora --size --image -n --count --out --force --max-cost --no-metadata" ;;
    "image models") commands="" flags="" ;;
    "image price") commands="" flags="--size --steps -n --count" ;;
    "chat") commands="" flags="-m --model --max-tokens --temperature -s --system --top-p --stop --seed --param --no-stream --usage" ;;
    "tts") commands="" flags="--speed --file --param --out --force" ;;
    "api") commands="spec" flags="" ;;
    "api spec") commands="" flags="" ;;
    "auth") commands="login logout status" flags="" ;;
    "auth login") commands="" flags="--with-token" ;;
    "auth logout") commands="" flags="" ;;
    "auth status") commands="" flags="" ;;
    "doctor") commands="" flags="" ;;
    "sandbox") commands="serve status reset keys limits" flags="" ;;
    "sandbox serve") commands="" flags="--port --host" ;;
    "sandbox status") commands="" flags="" ;;
    "sandbox reset") commands="" flags="" ;;
    "sandbox keys") commands="" flags="" ;;
    "sandbox limits") commands="" flags="" ;;
  esac

  case "$path:$prev" in
    *:-o|*:--output) COMPREPLY=($(compgen -W "table json jsonl yaml csv tsv id" -- "$cur")); return ;;
    *:--columns) COMPREPLY=(); return ;;
    *:--jq) COMPREPLY=(); return ;;
    *:--profile) COMPREPLY=(); return ;;
    *:--base-url) COMPREPLY=(); return ;;
    *:--inference-base-url) COMPREPLY=(); return ;;
    *:--timeout) COMPREPLY=(); return ;;
    *:--retries) COMPREPLY=(); return ;;
    *:--color) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
    "rentals create vm:--gpu-count"|"rentals create vm:--gpus") COMPREPLY=(); return ;;
    "rentals create vm:--network-type") COMPREPLY=($(compgen -W "infiniband ethernet" -- "$cur")); return ;;
    "rentals create vm:--region") COMPREPLY=($(compgen -W "us-central-1 us-central-2 eu-north-2 eu-west-2 eu-north-4 eu-north-5 us-east-1 us-east-2 ca-east-3 eu-north-6 eu-north-7 eu-north-8 ca-west-1 ca-east-1 us-central-3 us-southeast-1 me-central-1 ca-east-2 eu-west-1 us-southeast-2 jp-east-1 us-southeast-3 eu-west-5 us-east-3" -- "$cur")); return ;;
    "rentals create vm:--gpu-type"|"rentals create vm:--gpu") COMPREPLY=($(compgen -W "h100 h200 b200 rtx-6000-pro" -- "$cur")); return ;;
    "rentals create vm:--label") COMPREPLY=(); return ;;
    "rentals create vm:--term-type") COMPREPLY=($(compgen -W "on-demand reserved" -- "$cur")); return ;;
    "rentals create vm:--term-period-days"|"rentals create vm:--days") COMPREPLY=(); return ;;
    "rentals create vm:--discount-percentage") COMPREPLY=(); return ;;
    "rentals create vm:--ssh-public-key-id") COMPREPLY=(); return ;;
    "rentals create vm:--ssh-public-key-ids") COMPREPLY=(); return ;;
    "rentals create vm:--custom-ports") COMPREPLY=(); return ;;
    "rentals create vm:--wait-timeout") COMPREPLY=(); return ;;
    "rentals create vm:--max-burn") COMPREPLY=(); return ;;
    "rentals create bare-metal:--network-type") COMPREPLY=($(compgen -W "infiniband ethernet" -- "$cur")); return ;;
    "rentals create bare-metal:--gpu-count"|"rentals create bare-metal:--gpus") COMPREPLY=(); return ;;
    "rentals create bare-metal:--region") COMPREPLY=($(compgen -W "us-central-1 uk-central-3 uk-southeast-3 eu-southwest-3 eu-southwest-3-1 eu-west-3 eu-west-4" -- "$cur")); return ;;
    "rentals create bare-metal:--gpu-type"|"rentals create bare-metal:--gpu") COMPREPLY=($(compgen -W "h100 h200 b200 rtx-6000-pro" -- "$cur")); return ;;
    "rentals create bare-metal:--label") COMPREPLY=(); return ;;
    "rentals create bare-metal:--term-type") COMPREPLY=($(compgen -W "on-demand reserved" -- "$cur")); return ;;
    "rentals create bare-metal:--term-period-days"|"rentals create bare-metal:--days") COMPREPLY=(); return ;;
    "rentals create bare-metal:--discount-percentage") COMPREPLY=(); return ;;
    "rentals create bare-metal:--ssh-public-key-id") COMPREPLY=(); return ;;
    "rentals create bare-metal:--ssh-public-key-ids") COMPREPLY=(); return ;;
    "rentals create bare-metal:--cuda-version") COMPREPLY=($(compgen -W "cuda12.8 cuda12.9" -- "$cur")); return ;;
    "rentals create bare-metal:--storage-volume") COMPREPLY=(); return ;;
    "rentals create bare-metal:--new-volume") COMPREPLY=(); return ;;
    "rentals create bare-metal:--new-volume-size") COMPREPLY=(); return ;;
    "rentals create bare-metal:--wait-timeout") COMPREPLY=(); return ;;
    "rentals create bare-metal:--max-burn") COMPREPLY=(); return ;;
    "rentals list:--type") COMPREPLY=($(compgen -W "vm bare-metal" -- "$cur")); return ;;
    "rentals wait:--for") COMPREPLY=($(compgen -W "running active terminated" -- "$cur")); return ;;
    "rentals wait:--interval") COMPREPLY=(); return ;;
    "rentals wait:--wait-timeout") COMPREPLY=(); return ;;
    "rentals ssh:--node") COMPREPLY=(); return ;;
    "rentals ssh:--wait-timeout") COMPREPLY=(); return ;;
    "volumes create:--region") COMPREPLY=($(compgen -W "us-central-1 us-central-2 eu-north-2 eu-west-2 eu-north-4 eu-north-5 us-east-1 us-east-2 ca-east-3 eu-north-6 eu-north-7 eu-north-8 ca-west-1 ca-east-1 us-central-3 us-southeast-1 me-central-1 ca-east-2 eu-west-1 us-southeast-2 jp-east-1 us-southeast-3 eu-west-5 us-east-3 uk-central-3 uk-southeast-3 eu-southwest-3 eu-southwest-3-1 eu-west-3 eu-west-4" -- "$cur")); return ;;
    "volumes create:--label") COMPREPLY=(); return ;;
    "volumes create:--size-in-gb") COMPREPLY=(); return ;;
    "volumes create:--rental-ids") COMPREPLY=(); return ;;
    "reserve convert:--term-period-days"|"reserve convert:--days") COMPREPLY=(); return ;;
    "reserve convert:--expected-total-price-cents") COMPREPLY=(); return ;;
    "reserve convert:--expected-price") COMPREPLY=(); return ;;
    "reserve extend:--term-period-days"|"reserve extend:--days") COMPREPLY=(); return ;;
    "reserve extend:--expected-total-price-cents") COMPREPLY=(); return ;;
    "reserve extend:--expected-reserved-until") COMPREPLY=(); return ;;
    "reserve extend:--expected-price") COMPREPLY=(); return ;;
    "reserve request:--gpu-count"|"reserve request:--gpus") COMPREPLY=(); return ;;
    "user update:--onboarded-for") COMPREPLY=(); return ;;
    "user update:--name") COMPREPLY=(); return ;;
    "image:-m"|"image:--model-name"|"image:--model") COMPREPLY=($(compgen -W "FLUX.1-dev SDXL1.0-base SDXL-turbo SD2 SD1.5 SSD" -- "$cur")); return ;;
    "image:--prompt") COMPREPLY=(); return ;;
    "image:--height") COMPREPLY=(); return ;;
    "image:--width") COMPREPLY=(); return ;;
    "image:--steps") COMPREPLY=(); return ;;
    "image:--cfg-scale") COMPREPLY=(); return ;;
    "image:--negative-prompt"|"image:--negative") COMPREPLY=(); return ;;
    "image:--seed") COMPREPLY=(); return ;;
    "image:--sampler") COMPREPLY=(); return ;;
    "image:--backend") COMPREPLY=($(compgen -W "auto tvm torch" -- "$cur")); return ;;
    "image:--prompt-2") COMPREPLY=(); return ;;
    "image:--negative-prompt-2") COMPREPLY=(); return ;;
    "image:--strength") COMPREPLY=(); return ;;
    "image:--lora") COMPREPLY=(); return ;;
    "image:--size") COMPREPLY=(); return ;;
    "image:--image") compopt -o filenames 2> /dev/null; COMPREPLY=($(compgen -f -- "$cur")); return ;;
    "image:-n"|"image:--count") COMPREPLY=(); return ;;
    "image:--out") compopt -o filenames 2> /dev/null; COMPREPLY=($(compgen -f -- "$cur")); return ;;
    "image:--max-cost") COMPREPLY=(); return ;;
    "image price:--size") COMPREPLY=(); return ;;
    "image price:--steps") COMPREPLY=(); return ;;
    "image price:-n"|"image price:--count") COMPREPLY=(); return ;;
    "chat:-m"|"chat:--model") COMPREPLY=(); return ;;
    "chat:--max-tokens") COMPREPLY=(); return ;;
    "chat:--temperature") COMPREPLY=(); return ;;
    "chat:-s"|"chat:--system") COMPREPLY=(); return ;;
    "chat:--top-p") COMPREPLY=(); return ;;
    "chat:--stop") COMPREPLY=(); return ;;
    "chat:--seed") COMPREPLY=(); return ;;
    "chat:--param") COMPREPLY=(); return ;;
    "tts:--speed") COMPREPLY=(); return ;;
    "tts:--file") compopt -o filenames 2> /dev/null; COMPREPLY=($(compgen -f -- "$cur")); return ;;
    "tts:--param") COMPREPLY=(); return ;;
    "tts:--out") compopt -o filenames 2> /dev/null; COMPREPLY=($(compgen -f -- "$cur")); return ;;
    "sandbox serve:--port") COMPREPLY=(); return ;;
    "sandbox serve:--host") COMPREPLY=(); return ;;
  esac

  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags -o --output --columns --no-header --jq -q --quiet -y --yes --no-input --profile --sandbox --base-url --inference-base-url --timeout --retries --dry-run --no-validate --insecure-http --debug --color -V --version -h --help" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$commands" -- "$cur"))
  fi
}

complete -F _gpuctl gpuctl
