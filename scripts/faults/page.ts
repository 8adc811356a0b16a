import { type FaultEntry, IMPLIED, type None } from '@ordbook/operations/faults/fault.ts'
import { FAULT_AREAS, type FaultId, faultOf, runbookOf } from '@ordbook/operations/faults/faults.ts'

/** Prints docs/reference/faults.md from the list of faults. */
export function printFaultsPage(): string {
  const areas = Object.entries(FAULT_AREAS).map(([area, faults]) => {
    const rows = (Object.keys(faults) as FaultId[]).map((id) => `| ${cellsOf(id).join(' | ')} |`)
    return `## ${area}\n\n${HEADER}\n${rows.join('\n')}\n`
  })
  return `# Faults

**Doctor** is the component in \`ordbook market doctor\`; with \`--json\`, \`fault\` is the id. **Status** is the reason in \`GET /status\` if trading
is paused, or the field that lists the fault. **Metric** and **alert** are empty if only the doctor checks for the fault. Other reasons why a
fault is not reported are in parentheses.

${areas.join('\n')}`
}

const HEADER = '| Fault | Doctor | Metric | Status | Alert and runbook |\n| --- | --- | --- | --- | --- |'

function cellsOf(id: FaultId): string[] {
  const { is, doctor, metric, alert, status } = faultOf(id)
  const runbook = runbookOf(id)
  return [
    `\`${id}\`: ${is}`,
    cell(doctor, (about) => about),
    cell(metric, (name) => `\`${name}\``),
    'none' in status ? reasonOf(status) : statusOf(status),
    cell(alert, (name) => `[${name}](${runbook!.replace(/^docs/, '..')})`),
  ]
}

const cell = (place: string | None, print: (name: string) => string) =>
  typeof place === 'string' ? print(place) : reasonOf(place)

const reasonOf = (none: None): string => (IMPLIED.includes(none) ? '' : `(${none.none})`)

function statusOf(status: Exclude<FaultEntry['status'], None>): string {
  if ('reason' in status) return status.reason.replace(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase())
  return 'shortage' in status
    ? `\`shortages\`: ${status.shortage}`
    : `\`notTraded\`: ${status.notTraded.join(', ')}`
}
