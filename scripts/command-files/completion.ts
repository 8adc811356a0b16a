import { optionsOf } from '../../cli/src/command.ts'
import { MARKET_COMMANDS } from '../../cli/src/operator.ts'
import type { Program } from '../../cli/src/programs.ts'
import { VERBS } from '../../cli/src/verbs.ts'
import { marketOptions } from './help.ts'

/** Prints the completion of `ordbook` for bash: verbs, operator commands, and their options. Other words are completed as files. */
export function printCompletion(helps: ReadonlyMap<Program, string>): string {
  const line = (place: string, words: readonly string[]) => `    ${place}) words='${words.join(' ')}' ;;`
  const commands = Object.keys(MARKET_COMMANDS)
  return `# Bash completion of ordbook(1).
_ordbook() {
  local IFS=' ' word=\${COMP_WORDS[COMP_CWORD]} words=
  case "\${COMP_WORDS[*]:1:COMP_CWORD-1} " in
${[
  line("' '", [...Object.keys(VERBS), 'market', '--help', '--version']),
  line("'market '", [...commands, '--help']),
  ...commands.map((name) => line(`'market ${name} '*`, marketOptions(name, helps))),
  ...Object.entries(VERBS).map(([name, verb]) =>
    line(
      `'${name} '*`,
      Object.keys(optionsOf(verb)).map((option) => `--${option}`),
    ),
  ),
].join('\n')}
  esac
  COMPREPLY=()
  if [[ $COMP_CWORD == 1 || $COMP_CWORD == 2 && \${COMP_WORDS[1]} == market || $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  fi
}
complete -o default -F _ordbook ordbook
`
}
