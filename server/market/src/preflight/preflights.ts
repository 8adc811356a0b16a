import type { Transaction } from '@ordbook/db/driver/connect.ts'
import { pack, unpack } from '@ordbook/db/driver/pack.ts'
import { conflict } from '@ordbook/db/process/errors.ts'
import type { Context } from '../context.ts'
import { checkEchoes } from './echoes.ts'
import { lockPreflights, upsertPreflight } from './queries.ts'

/**
 * Every trade is a preflight and a submit. A preflight stores its request and the prepared layouts under a handle. The submit names the
 * handle, rebuilds the layouts and takes only signatures from the client. Its response is stored too, so that a repeated submit returns the
 * same.
 */
export async function savePreflight(
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  sql: Parameters<typeof upsertPreflight>[0],
  preflight: {
    handle: string
    kind: string
    walletBindingId: string
    /** Replaces the wallet's preflight of the same kind and subject; by default none. */
    subject?: string
    request: object
    prepared: object
  },
): Promise<void> {
  const expiresAt = new Date(clock().getTime() + config.preflightTtlSeconds * 1000)
  const row = { subject: null, ...preflight, prepared: pack(preflight.prepared), expiresAt }
  await upsertPreflight(sql, row, config.preflightsPerWallet)
}

/** A preflight that was not submitted yet, or the stored response of its submit. */
export interface OpenPreflight<Prepared, Answer> {
  handle: string
  prepared: Prepared
  answer: Answer | null
}

/**
 * Locks the preflights of these handles and returns them in order; each request must repeat these fields. Throws conflict for a preflight
 * that is unknown, expired or another wallet's, invalid for a field that differs.
 */
export async function openPreflights<Prepared, Answer>(
  { clock }: Pick<Context, 'clock'>,
  tx: Transaction,
  want: {
    handles: readonly string[]
    /** The field that named the handles, for the refusal. */
    field?: string
    kind: string
    walletBindingId: string
    echoes: Readonly<Record<string, unknown>>
  },
): Promise<OpenPreflight<Prepared, Answer>[]> {
  const rows = await lockPreflights(tx, want.handles)
  if (
    rows.length !== want.handles.length ||
    rows.some((row) => row.kind !== want.kind || row.walletBindingId !== want.walletBindingId)
  )
    throw conflict(
      'preflight-expired',
      `${want.field ?? 'The preflight'} is unknown or expired: prepare it again`,
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

/** One preflight: as `openPreflights`. */
export async function openPreflight<Prepared, Answer>(
  context: Pick<Context, 'clock'>,
  tx: Transaction,
  want: {
    handle: string
    field?: string
    kind: string
    walletBindingId: string
    echoes: Readonly<Record<string, unknown>>
  },
): Promise<OpenPreflight<Prepared, Answer>> {
  const [preflight] = await openPreflights<Prepared, Answer>(context, tx, { ...want, handles: [want.handle] })
  return preflight!
}
