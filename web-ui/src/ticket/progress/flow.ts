import type { Answer } from '@ordbook/sdk/operations.ts'
import { progress as words } from '../../strings/progress.ts'
import type { SubjectItem, Ticket } from './machine.ts'
import type { Sent } from './sent.ts'
import { type ShownStep, stepsOfSent, stepsOfTicket } from './steps.ts'

type Settlement = Answer<'getSettlement'>

/** An action from its start to its end: first a ticket, and after the submission a transaction. */
export interface Flow {
  key: string
  title: string
  /** `wallet`: the wallet waits for the visitor. */
  state: 'working' | 'wallet' | 'done' | 'failed' | 'cancelled'
  /** The present step, or the reason of the end. */
  text: string
  steps: readonly ShownStep[]
  items: readonly SubjectItem[]
  txid: string | null
  kind: Settlement['kind'] | null
}

export function flowOfTicket(ticket: Ticket & { subject: string }): Flow {
  const { subject, phase, what, step, failure, isCancelled, about } = ticket
  const isRunning = phase === 'running'
  const at = step?.at ?? 'check'
  return {
    key: subject,
    title: what ?? '',
    state: isRunning ? (at === 'sign' ? 'wallet' : 'working') : isCancelled ? 'cancelled' : 'failed',
    text: isRunning ? words.states[at] : (failure ?? ''),
    steps: stepsOfTicket(ticket),
    items: about?.items ?? [],
    txid: null,
    kind: null,
  }
}

export function flowOfSent(sent: Sent, settlement: Settlement | undefined): Flow {
  const { txid, title, items } = sent
  const state = settlement?.state ?? 'sending'
  return {
    key: txid,
    title: state === 'confirmed' && items.length === 1 ? endOf(items[0]!, settlement!.kind) : title,
    state: state === 'confirmed' ? 'done' : state === 'failed' ? 'failed' : 'working',
    text: state === 'failed' ? words.notConfirmed : words.states[state],
    steps: stepsOfSent(settlement),
    items,
    txid,
    kind: settlement?.kind ?? null,
  }
}

/** Text of an item whose trade is confirmed. */
export function endOf({ goes, name }: SubjectItem, kind: Flow['kind']): string {
  if (goes === 'arrives') return words.yours(name)
  if (goes === 'leaves') return words.sold(name)
  return kind === 'move' ? words.moved(name) : words.home(name)
}

export const isAbout = (inscriptionId: string, { key, items }: Pick<Flow, 'key' | 'items'>): boolean =>
  key.endsWith(inscriptionId) || items.some((item) => item.inscriptionId === inscriptionId)
