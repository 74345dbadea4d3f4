# bash completion for gpuctl. Made by `npm run generate`; do not edit.

# Offers what gpuctl knows of a kind of values, each as it has to be typed.
_gpuctl_live() {
  local value text cur=$1 kind=$2
  shift 2
  while IFS=$'\t' read -r value text; do
    printf -v value %q "$value"
    [[ $value == "$cur"* ]] && COMPREPLY+=("$value")
  done < <(command gpuctl __complete "$kind" "" "$@" 2> /dev/null < /dev/null)
}

# The names of files with blanks in them are whole.
_gpuctl_files() {
  local name
  compopt -o filenames 2> /dev/null
  while IFS= read -r name; do
    COMPREPLY+=("$name")
  done < <(compgen -f -- "$1")
}

_gpuctl() {
  # Bash parts words at = and : as well; here they are put together again.
  local line=${COMP_LINE:0:COMP_POINT} piece at words=()
  for ((at = 0; at <= COMP_CWORD; at++)); do
    piece=${COMP_WORDS[at]}
    if [[ $at -gt 0 && $line != [[:space:]]* ]]; then
      words[${#words[@]} - 1]+=$piece
    else
      line=${line#"${line%%[![:space:]]*}"}
      words+=("$piece")
    fi
    line=${line#"$piece"}
  done
  [[ $piece == [=:] ]] && piece=""

  local cur=${words[${#words[@]} - 1]} prev="" path="" skip="" word bare count=0 service=()
  for word in "${words[@]:1:${#words[@]}-2}"; do
    bare=${word//[\"\'\\]/}
    if [[ -n $skip ]]; then
      [[ $skip == service ]] && service+=("$bare")
      skip="" prev=""
      continue
    fi
    prev=$word
    case $word in
      --) return ;;
      --profile|--base-url|--inference-base-url|--timeout|--retries) service+=("$bare") skip=service; continue ;;
      --sandbox|--insecure-http|--profile=*|--base-url=*|--inference-base-url=*|--timeout=*|--retries=*) service+=("$bare"); continue ;;
      -o|--output|--columns|--jq|--profile|--base-url|--inference-base-url|--timeout|--retries|--color|--gpu-count|--gpus|--network-type|--region|--gpu-type|--gpu|--label|--term-type|--term-period-days|--days|--discount-percentage|--ssh-public-key-id|--ssh-public-key-ids|--custom-ports|--wait-timeout|--max-burn|--cuda-version|--storage-volume|--new-volume|--new-volume-size|--type|--for|--interval|--node|--size-in-gb|--rental-ids|--expected-total-price-cents|--expected-price|--expected-reserved-until|--onboarded-for|--name|-m|--model-name|--model|--prompt|--height|--width|--steps|--cfg-scale|--negative-prompt|--negative|--seed|--sampler|--backend|--prompt-2|--negative-prompt-2|--strength|--lora|--size|--image|-n|--count|--out|--max-cost|--max-tokens|--temperature|-s|--system|--top-p|--stop|--param|--speed|--file|--group|-f|--raw-field|-F|--field|--input|--key-command|--port|--host|--only|--operation|--times|--after|--status|--retry-after|--delay|--cut-stream-after|--limit) skip=1; continue ;;
      -?*) continue ;;
    esac
    case "$path $word" in
      " setup"|" rentals"|" rentals create"|" rentals create vm"|" rentals create bare-metal"|" rentals list"|" rentals get"|" rentals history"|" rentals summary"|" rentals wait"|" rentals ssh"|" rentals terminate"|" volumes"|" volumes create"|" volumes list"|" volumes attach"|" reserve"|" reserve convert"|" reserve extend"|" reserve request"|" user"|" user update"|" user delete"|" image"|" image models"|" image price"|" chat"|" chat models"|" tts"|" api"|" api list"|" api describe"|" api call"|" api spec"|" auth"|" auth login"|" auth logout"|" auth status"|" auth token"|" profile"|" profile list"|" profile show"|" profile add"|" profile use"|" profile remove"|" config"|" config get"|" config set"|" config unset"|" config list"|" config path"|" doctor"|" sandbox"|" sandbox serve"|" sandbox status"|" sandbox reset"|" sandbox keys"|" sandbox limits"|" sandbox fault"|" sandbox fault add"|" sandbox fault list"|" sandbox fault clear"|" sandbox clock"|" sandbox clock show"|" sandbox clock freeze"|" sandbox clock advance"|" sandbox clock set"|" sandbox clock resume"|" sandbox seed"|" sandbox snapshot"|" sandbox restore"|" sandbox requests"|" completion"|" help"|" help rentals"|" help rentals create"|" help volumes"|" help reserve"|" help user"|" help image"|" help chat"|" help api"|" help auth"|" help profile"|" help config"|" help sandbox"|" help sandbox fault"|" help sandbox clock") path="$path $word" count=0 ;;
      *) ((count++)) ;;
    esac
  done
  path=${path# }
  if [[ $cur == --*=* ]]; then
    prev=${cur%%=*} cur=${cur#*=} skip=1
  fi

  local commands="" flags=""
  case $path in
    "") commands="setup rentals volumes reserve user image chat tts api auth profile config doctor sandbox completion help" flags="" ;;
    "setup") commands="" flags="" ;;
    "rentals") commands="create list get history summary wait ssh terminate" flags="" ;;
    "rentals create") commands="vm bare-metal" flags="" ;;
    "rentals create vm") commands="" flags="--gpu-count --gpus --network-type --region --gpu-type --gpu --label --term-type --term-period-days --days --discount-percentage --monitoring-enabled --no-monitoring-enabled --convert-to-on-demand-on-expiry --no-convert-to-on-demand-on-expiry --ssh-public-key-id --ssh-public-key-ids --custom-ports --wait --wait-timeout --max-burn" ;;
    "rentals create bare-metal") commands="" flags="--network-type --gpu-count --gpus --region --gpu-type --gpu --label --term-type --term-period-days --days --discount-percentage --monitoring-enabled --no-monitoring-enabled --convert-to-on-demand-on-expiry --no-convert-to-on-demand-on-expiry --ssh-public-key-id --ssh-public-key-ids --cuda-version --storage-volume --new-volume --new-volume-size --wait --wait-timeout --max-burn" ;;
    "rentals list") commands="" flags="--include-cluster-pools --no-include-cluster-pools --type --watch" ;;
    "rentals get") commands="" flags="" ;;
    "rentals history") commands="" flags="" ;;
    "rentals summary") commands="" flags="" ;;
    "rentals wait") commands="" flags="--for --interval --wait-timeout" ;;
    "rentals ssh") commands="" flags="--node --print --wait --wait-timeout" ;;
    "rentals terminate") commands="" flags="" ;;
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
    "chat") commands="models" flags="-m --model --max-tokens --temperature -s --system --top-p --stop --seed --param --no-stream --usage" ;;
    "chat models") commands="" flags="" ;;
    "tts") commands="" flags="--speed --file --param --out --force" ;;
    "api") commands="list describe call spec" flags="" ;;
    "api list") commands="" flags="--group" ;;
    "api describe") commands="" flags="" ;;
    "api call") commands="" flags="-f --raw-field -F --field --input -i --include --paginate" ;;
    "api spec") commands="" flags="--refresh" ;;
    "auth") commands="login logout status token" flags="" ;;
    "auth login") commands="" flags="--with-token --key-command" ;;
    "auth logout") commands="" flags="" ;;
    "auth status") commands="" flags="" ;;
    "auth token") commands="" flags="" ;;
    "profile") commands="list show add use remove" flags="" ;;
    "profile list") commands="" flags="" ;;
    "profile show") commands="" flags="" ;;
    "profile add") commands="" flags="--key-command" ;;
    "profile use") commands="" flags="" ;;
    "profile remove") commands="" flags="" ;;
    "config") commands="get set unset list path" flags="" ;;
    "config get") commands="" flags="" ;;
    "config set") commands="" flags="" ;;
    "config unset") commands="" flags="" ;;
    "config list") commands="" flags="" ;;
    "config path") commands="" flags="" ;;
    "doctor") commands="" flags="" ;;
    "sandbox") commands="serve status reset keys limits fault clock seed snapshot restore requests" flags="" ;;
    "sandbox serve") commands="" flags="--port --host --only" ;;
    "sandbox status") commands="" flags="" ;;
    "sandbox reset") commands="" flags="" ;;
    "sandbox keys") commands="" flags="" ;;
    "sandbox limits") commands="" flags="" ;;
    "sandbox fault") commands="add list clear" flags="" ;;
    "sandbox fault add") commands="" flags="--operation --times --after --status --retry-after --delay --reset --cut-stream-after --garbage --applied" ;;
    "sandbox fault list") commands="" flags="" ;;
    "sandbox fault clear") commands="" flags="" ;;
    "sandbox clock") commands="show freeze advance set resume" flags="" ;;
    "sandbox clock show") commands="" flags="" ;;
    "sandbox clock freeze") commands="" flags="" ;;
    "sandbox clock advance") commands="" flags="" ;;
    "sandbox clock set") commands="" flags="" ;;
    "sandbox clock resume") commands="" flags="" ;;
    "sandbox seed") commands="" flags="" ;;
    "sandbox snapshot") commands="" flags="--force" ;;
    "sandbox restore") commands="" flags="" ;;
    "sandbox requests") commands="" flags="--limit" ;;
    "completion") commands="" flags="" ;;
    "help") commands="exit-codes environment output setup rentals volumes reserve user image chat tts api auth profile config doctor sandbox completion help" flags="" ;;
    "help rentals") commands="create list get history summary wait ssh terminate" flags="" ;;
    "help rentals create") commands="vm bare-metal" flags="" ;;
    "help volumes") commands="create list attach" flags="" ;;
    "help reserve") commands="convert extend request" flags="" ;;
    "help user") commands="update delete" flags="" ;;
    "help image") commands="models price" flags="" ;;
    "help chat") commands="models" flags="" ;;
    "help api") commands="list describe call spec" flags="" ;;
    "help auth") commands="login logout status token" flags="" ;;
    "help profile") commands="list show add use remove" flags="" ;;
    "help config") commands="get set unset list path" flags="" ;;
    "help sandbox") commands="serve status reset keys limits fault clock seed snapshot restore requests" flags="" ;;
    "help sandbox fault") commands="add list clear" flags="" ;;
    "help sandbox clock") commands="show freeze advance set resume" flags="" ;;
  esac

  COMPREPLY=()
  if [[ -n $skip ]]; then
    case "$path:$prev" in
      *:-o|*:--output) COMPREPLY+=($(compgen -W "table json jsonl yaml csv tsv id" -- "$cur")) ;;
      *:--columns) : ;;
      *:--jq) : ;;
      *:--profile) _gpuctl_live "$cur" profile ${service[@]+"${service[@]}"} ;;
      *:--base-url) : ;;
      *:--inference-base-url) : ;;
      *:--timeout) : ;;
      *:--retries) : ;;
      *:--color) COMPREPLY+=($(compgen -W "auto always never" -- "$cur")) ;;
      "rentals create vm:--gpu-count"|"rentals create vm:--gpus") : ;;
      "rentals create vm:--network-type") COMPREPLY+=($(compgen -W "infiniband ethernet" -- "$cur")) ;;
      "rentals create vm:--region") COMPREPLY+=($(compgen -W "us-central-1 us-central-2 eu-north-2 eu-west-2 eu-north-4 eu-north-5 us-east-1 us-east-2 ca-east-3 eu-north-6 eu-north-7 eu-north-8 ca-west-1 ca-east-1 us-central-3 us-southeast-1 me-central-1 ca-east-2 eu-west-1 us-southeast-2 jp-east-1 us-southeast-3 eu-west-5 us-east-3" -- "$cur")) ;;
      "rentals create vm:--gpu-type"|"rentals create vm:--gpu") COMPREPLY+=($(compgen -W "h100 h200 b200 rtx-6000-pro" -- "$cur")) ;;
      "rentals create vm:--label") : ;;
      "rentals create vm:--term-type") COMPREPLY+=($(compgen -W "on-demand reserved" -- "$cur")) ;;
      "rentals create vm:--term-period-days"|"rentals create vm:--days") : ;;
      "rentals create vm:--discount-percentage") : ;;
      "rentals create vm:--ssh-public-key-id") : ;;
      "rentals create vm:--ssh-public-key-ids") : ;;
      "rentals create vm:--custom-ports") : ;;
      "rentals create vm:--wait-timeout") : ;;
      "rentals create vm:--max-burn") : ;;
      "rentals create bare-metal:--network-type") COMPREPLY+=($(compgen -W "infiniband ethernet" -- "$cur")) ;;
      "rentals create bare-metal:--gpu-count"|"rentals create bare-metal:--gpus") : ;;
      "rentals create bare-metal:--region") COMPREPLY+=($(compgen -W "us-central-1 uk-central-3 uk-southeast-3 eu-southwest-3 eu-southwest-3-1 eu-west-3 eu-west-4" -- "$cur")) ;;
      "rentals create bare-metal:--gpu-type"|"rentals create bare-metal:--gpu") COMPREPLY+=($(compgen -W "h100 h200 b200 rtx-6000-pro" -- "$cur")) ;;
      "rentals create bare-metal:--label") : ;;
      "rentals create bare-metal:--term-type") COMPREPLY+=($(compgen -W "on-demand reserved" -- "$cur")) ;;
      "rentals create bare-metal:--term-period-days"|"rentals create bare-metal:--days") : ;;
      "rentals create bare-metal:--discount-percentage") : ;;
      "rentals create bare-metal:--ssh-public-key-id") : ;;
      "rentals create bare-metal:--ssh-public-key-ids") : ;;
      "rentals create bare-metal:--cuda-version") COMPREPLY+=($(compgen -W "cuda12.8 cuda12.9" -- "$cur")) ;;
      "rentals create bare-metal:--storage-volume") _gpuctl_live "$cur" volume ${service[@]+"${service[@]}"} ;;
      "rentals create bare-metal:--new-volume") : ;;
      "rentals create bare-metal:--new-volume-size") : ;;
      "rentals create bare-metal:--wait-timeout") : ;;
      "rentals create bare-metal:--max-burn") : ;;
      "rentals list:--type") COMPREPLY+=($(compgen -W "vm bare-metal" -- "$cur")) ;;
      "rentals wait:--for") COMPREPLY+=($(compgen -W "running active terminated" -- "$cur")) ;;
      "rentals wait:--interval") : ;;
      "rentals wait:--wait-timeout") : ;;
      "rentals ssh:--node") : ;;
      "rentals ssh:--wait-timeout") : ;;
      "volumes create:--region") COMPREPLY+=($(compgen -W "us-central-1 us-central-2 eu-north-2 eu-west-2 eu-north-4 eu-north-5 us-east-1 us-east-2 ca-east-3 eu-north-6 eu-north-7 eu-north-8 ca-west-1 ca-east-1 us-central-3 us-southeast-1 me-central-1 ca-east-2 eu-west-1 us-southeast-2 jp-east-1 us-southeast-3 eu-west-5 us-east-3 uk-central-3 uk-southeast-3 eu-southwest-3 eu-southwest-3-1 eu-west-3 eu-west-4" -- "$cur")) ;;
      "volumes create:--label") : ;;
      "volumes create:--size-in-gb") : ;;
      "volumes create:--rental-ids") _gpuctl_live "$cur" rental ${service[@]+"${service[@]}"} ;;
      "reserve convert:--term-period-days"|"reserve convert:--days") : ;;
      "reserve convert:--expected-total-price-cents") : ;;
      "reserve convert:--expected-price") : ;;
      "reserve extend:--term-period-days"|"reserve extend:--days") : ;;
      "reserve extend:--expected-total-price-cents") : ;;
      "reserve extend:--expected-reserved-until") : ;;
      "reserve extend:--expected-price") : ;;
      "reserve request:--gpu-count"|"reserve request:--gpus") : ;;
      "user update:--onboarded-for") : ;;
      "user update:--name") : ;;
      "image:-m"|"image:--model-name"|"image:--model") COMPREPLY+=($(compgen -W "FLUX.1-dev SDXL1.0-base SDXL-turbo SD2 SD1.5 SSD" -- "$cur")) ;;
      "image:--prompt") : ;;
      "image:--height") : ;;
      "image:--width") : ;;
      "image:--steps") : ;;
      "image:--cfg-scale") : ;;
      "image:--negative-prompt"|"image:--negative") : ;;
      "image:--seed") : ;;
      "image:--sampler") : ;;
      "image:--backend") COMPREPLY+=($(compgen -W "auto tvm torch" -- "$cur")) ;;
      "image:--prompt-2") : ;;
      "image:--negative-prompt-2") : ;;
      "image:--strength") : ;;
      "image:--lora") : ;;
      "image:--size") : ;;
      "image:--image") _gpuctl_files "$cur" ;;
      "image:-n"|"image:--count") : ;;
      "image:--out") _gpuctl_files "$cur" ;;
      "image:--max-cost") : ;;
      "image price:--size") : ;;
      "image price:--steps") : ;;
      "image price:-n"|"image price:--count") : ;;
      "chat:-m"|"chat:--model") : ;;
      "chat:--max-tokens") : ;;
      "chat:--temperature") : ;;
      "chat:-s"|"chat:--system") : ;;
      "chat:--top-p") : ;;
      "chat:--stop") : ;;
      "chat:--seed") : ;;
      "chat:--param") : ;;
      "tts:--speed") : ;;
      "tts:--file") _gpuctl_files "$cur" ;;
      "tts:--param") : ;;
      "tts:--out") _gpuctl_files "$cur" ;;
      "api list:--group") : ;;
      "api call:-f"|"api call:--raw-field") : ;;
      "api call:-F"|"api call:--field") : ;;
      "api call:--input") _gpuctl_files "$cur" ;;
      "auth login:--key-command") : ;;
      "profile add:--key-command") : ;;
      "sandbox serve:--port") : ;;
      "sandbox serve:--host") : ;;
      "sandbox serve:--only") COMPREPLY+=($(compgen -W "documented replacements legacy" -- "$cur")) ;;
      "sandbox fault add:--operation") : ;;
      "sandbox fault add:--times") : ;;
      "sandbox fault add:--after") : ;;
      "sandbox fault add:--status") : ;;
      "sandbox fault add:--retry-after") : ;;
      "sandbox fault add:--delay") : ;;
      "sandbox fault add:--cut-stream-after") : ;;
      "sandbox requests:--limit") : ;;
    esac
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags -o --output --columns --no-header --jq -q --quiet -y --yes --no-input --profile --sandbox --base-url --inference-base-url --timeout --retries --dry-run --no-validate --insecure-http --debug --color -V --version -h --help" -- "$cur"))
  else
    [[ $count -eq 0 ]] && COMPREPLY=($(compgen -W "$commands" -- "$cur"))
    case "$path:$count" in
      "rentals get:"0) _gpuctl_live "$cur" rental ${service[@]+"${service[@]}"} ;;
      "rentals wait:"0) _gpuctl_live "$cur" rental ${service[@]+"${service[@]}"} ;;
      "rentals ssh:"0) _gpuctl_live "$cur" rental ${service[@]+"${service[@]}"} ;;
      "rentals terminate:"*) _gpuctl_live "$cur" rental ${service[@]+"${service[@]}"} ;;
      "volumes attach:"0) _gpuctl_live "$cur" volume ${service[@]+"${service[@]}"} ;;
      "volumes attach:"*) _gpuctl_live "$cur" rental ${service[@]+"${service[@]}"} ;;
      "reserve convert:"0) _gpuctl_live "$cur" rental ${service[@]+"${service[@]}"} ;;
      "reserve extend:"0) _gpuctl_live "$cur" rental ${service[@]+"${service[@]}"} ;;
      "api describe:"1) _gpuctl_files "$cur" ;;
      "api call:"1) _gpuctl_files "$cur" ;;
      "profile show:"0) _gpuctl_live "$cur" profile ${service[@]+"${service[@]}"} ;;
      "profile use:"0) _gpuctl_live "$cur" profile ${service[@]+"${service[@]}"} ;;
      "profile remove:"0) _gpuctl_live "$cur" profile ${service[@]+"${service[@]}"} ;;
      "config get:"0) COMPREPLY+=($(compgen -W "baseUrl inferenceBaseUrl sandbox apiKeyCommand output timeout retries rentals.region rentals.gpuType image.model chat.model budget.maxCost budget.maxBurn" -- "$cur")) ;;
      "config set:"0) COMPREPLY+=($(compgen -W "baseUrl inferenceBaseUrl sandbox apiKeyCommand output timeout retries rentals.region rentals.gpuType image.model chat.model budget.maxCost budget.maxBurn" -- "$cur")) ;;
      "config unset:"0) COMPREPLY+=($(compgen -W "baseUrl inferenceBaseUrl sandbox apiKeyCommand output timeout retries rentals.region rentals.gpuType image.model chat.model budget.maxCost budget.maxBurn" -- "$cur")) ;;
      "sandbox seed:"0) _gpuctl_files "$cur" ;;
      "sandbox snapshot:"0) _gpuctl_files "$cur" ;;
      "sandbox restore:"0) _gpuctl_files "$cur" ;;
      "completion:"0) COMPREPLY+=($(compgen -W "bash zsh fish powershell" -- "$cur")) ;;
    esac
  fi

  # What stands before the last = or : is on the line already.
  local begin=${cur%"$piece"}
  [[ -n $begin ]] && COMPREPLY=("${COMPREPLY[@]#"$begin"}")
  return 0
}

complete -F _gpuctl gpuctl
