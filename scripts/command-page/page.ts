import { COMMON_HELP, helpOf } from '../../cli/src/command.ts'
import { VERBS } from '../../cli/src/verbs.ts'
import { withGenerated } from '../generated-parts.ts'

const block = (text: string) => `\`\`\`text\n${text}\n\`\`\``

/** Returns docs/reference/command.md with the help of all verbs. Throws if a marker is missing. */
export const withVerbs = (page: string): string =>
  withGenerated(page, {
    verbs: () =>
      [
        'These options exist for all verbs:',
        block(COMMON_HELP),
        ...Object.entries(VERBS).flatMap(([name, verb]) => [`### ${name}`, block(helpOf(name, verb))]),
      ].join('\n\n'),
  })
