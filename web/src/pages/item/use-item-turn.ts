import type { Answer } from '@ordbook/sdk/operations.ts'
import { useRead } from '@ordbook/web-ui/api/client.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'

export type Waiting = Answer<'listWaiting'>['waiting'][number]

/** If several tasks apply, the first one leads. */
const PRECEDENCE: readonly Waiting['kind'][] = ['escrow', 'acceptance', 'counter', 'offer']

/** Returns the task of an item that waits for the session, or null. */
export function useItemTurn(inscriptionId: string): Waiting | null {
  const { account } = useSession()
  const { data } = useRead('listWaiting', {}, { enabled: account != null })
  if (account == null) return null
  const rows = data?.waiting.filter((row) => row.inscriptionId === inscriptionId) ?? []
  return rows.toSorted((a, b) => PRECEDENCE.indexOf(a.kind) - PRECEDENCE.indexOf(b.kind))[0] ?? null
}
