import type { Context } from '../context.ts'
import type { Transaction } from '../db/connect.ts'
import { pack, unpack } from '../db/pack.ts'
import { conflict } from '../errors.ts'
import { type DraftKind, lockDrafts, upsertDraft } from './draft-queries.ts'
import { checkEchoes } from './echoes.ts'

/**
 * Between preflight and submit: what was asked and what it was made from, under the handle that the submit names. Submit
 * takes nothing from the client but signatures.
 */
export async function prepareDraft(
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  sql: Parameters<typeof upsertDraft>[0],
  draft: { handle: string; kind: DraftKind; walletBindingId: string; request: object; prepared: object },
): Promise<void> {
  const expiresAt = new Date(clock().getTime() + config.handleSeconds * 1000)
  await upsertDraft(sql, { ...draft, prepared: pack(draft.prepared), expiresAt })
}

/** A draft that may be submitted, or was: then `answer` is what it was answered. */
export interface OpenDraft<Prepared, Answer> {
  handle: string
  prepared: Prepared
  answer: Answer | null
}

/**
 * The drafts of these handles, locked and in their order, each with the same echoes. Throws conflict when one is unknown,
 * somebody else's or too old, invalid when a field differs.
 */
export async function openDrafts<Prepared, Answer>(
  { clock }: Pick<Context, 'clock'>,
  tx: Transaction,
  want: {
    handles: readonly string[]
    kind: DraftKind
    walletBindingId: string
    echoes: Readonly<Record<string, unknown>>
  },
): Promise<OpenDraft<Prepared, Answer>[]> {
  const rows = await lockDrafts(tx, want.handles)
  if (
    rows.length !== want.handles.length ||
    rows.some((row) => row.kind !== want.kind || row.walletBindingId !== want.walletBindingId)
  )
    throw conflict(
      'preflight-expired',
      'What is submitted was not prepared, or too long ago: prepare it again',
    )
  return rows.map((row) => {
    checkEchoes(row.request, want.echoes)
    if (row.answer === null && row.expiresAt <= clock())
      throw conflict('preflight-expired', 'The preflight expired: prepare it again')
    return {
      handle: row.handle,
      prepared: unpack<Prepared>(row.prepared),
      answer: row.answer as Answer | null,
    }
  })
}

/** One draft: as `openDrafts`. */
export async function openDraft<Prepared, Answer>(
  context: Pick<Context, 'clock'>,
  tx: Transaction,
  want: {
    handle: string
    kind: DraftKind
    walletBindingId: string
    echoes: Readonly<Record<string, unknown>>
  },
): Promise<OpenDraft<Prepared, Answer>> {
  const [draft] = await openDrafts<Prepared, Answer>(context, tx, { ...want, handles: [want.handle] })
  return draft!
}
