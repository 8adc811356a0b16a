import { isAbout } from '@ordbook/web-ui/ticket/progress/flow.ts'
import { useFlows } from '@ordbook/web-ui/ticket/progress/flows.ts'
import { useProgress } from '@ordbook/web-ui/ticket/progress/tickets.ts'

/** Returns true while a trade of an item from this tab is being sent, or waits for a block. */
export function useIsUnderWay(inscriptionId: string): boolean {
  const isSending = useProgress().some(
    (each) =>
      each.phase === 'running' &&
      each.step?.at === 'send' &&
      each.about?.settles === true &&
      isAbout(inscriptionId, { key: each.subject, items: each.about.items }),
  )
  const isPending = useFlows().some(
    (flow) => flow.txid !== null && flow.state === 'working' && isAbout(inscriptionId, flow),
  )
  return isSending || isPending
}
