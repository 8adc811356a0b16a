import type { Transaction } from '@ordbook/db/driver/connect.ts'
import { pack, unpack } from '@ordbook/db/driver/pack.ts'
import { conflict } from '@ordbook/db/process/errors.ts'
import type { Context } from '../context.ts'
import { checkEchoes } from './echoes.ts'
import { lockPreflights, upsertPreflight } from './queries.ts'

/**
 * Stores a preflight with its request and terms. The submit rebuilds the transactions from these terms and takes only signatures from the
 * client. Its response is stored too, so that a repeated submit returns it.
 */
export async function savePreflight(
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  sql: Parameters<typeof upsertPreflight>[0],
  preflight: {
    handle: string
    kind: string
    walletBindingId: string
    /** Replaces the wallet's pending preflight of this kind and subject. */
    subject?: string
    request: object
    prepared: object
  },
): Promise<void> {
  const expiresAt = new Date(clock().getTime() + config.preflightTtlSeconds * 1000)
  const row = { subject: null, ...preflight, prepared: pack(preflight.prepared), expiresAt }
  await upsertPreflight(sql, row, config.preflightsPerWallet)
}

/** `answer` is the stored response of the submit. */
export interface OpenPreflight<Prepared, Answer> {
  handle: string
  prepared: Prepared
  answer: Answer | null
}

/**
 * Locks and returns preflights, in order. Throws `conflict` if one is unknown or expired, and `invalid` if its request differs from `echoes`.
 */
export async function openPreflights<Prepared, Answer>(
  { clock }: Pick<Context, 'clock'>,
  tx: Transaction,
  key: {
    handles: readonly string[]
    /** Request field of the handles, for the error message. */
    field?: string
    kind: string
    walletBindingId: string
    echoes: Readonly<Record<string, unknown>>
  },
): Promise<OpenPreflight<Prepared, Answer>[]> {
  const rows = await lockPreflights(tx, key.handles)
  if (
    rows.length !== key.handles.length ||
    rows.some((row) => row.kind !== key.kind || row.walletBindingId !== key.walletBindingId)
  )
    throw conflict(
      'preflight-expired',
      `${key.field ?? 'The preflight'} is unknown or has expired. Request a new preflight.`,
    )
  return rows.map((row) => {
    checkEchoes(row.request, key.echoes)
    if (row.answer === null && row.expiresAt <= clock())
      throw conflict('preflight-expired', 'The preflight has expired. Request a new preflight.')
    return {
      handle: row.handle,
      prepared: unpack<Prepared>(row.prepared),
      answer: row.answer as Answer | null,
    }
  })
}

export async function openPreflight<Prepared, Answer>(
  context: Pick<Context, 'clock'>,
  tx: Transaction,
  key: {
    handle: string
    field?: string
    kind: string
    walletBindingId: string
    echoes: Readonly<Record<string, unknown>>
  },
): Promise<OpenPreflight<Prepared, Answer>> {
  const [preflight] = await openPreflights<Prepared, Answer>(context, tx, { ...key, handles: [key.handle] })
  return preflight!
}
