import { type Static, type TSchema, Type } from 'typebox'
import { Count, Hash, Nullable, type Reader, readerOf } from '../node/answers.ts'

/** Readers for responses of `ord`, with only the fields that this server uses. */
const reads = <S extends TSchema>(schema: S): Reader<Static<S>> => readerOf(schema, 'ord server')

const Status = Type.Object({
  height: Nullable(Count),
  inscription_index: Type.Optional(Type.Boolean()),
  /** Requires `--index-addresses`. */
  address_index: Type.Optional(Type.Boolean()),
  /** Requires `--index-runes`. */
  rune_index: Type.Optional(Type.Boolean()),
})
export type OrdStatus = Static<typeof Status>

const Numbering = Type.Object({
  height: Nullable(Count),
  inscriptions: Count,
  blessed_inscriptions: Count,
  cursed_inscriptions: Count,
  lost_sats: Count,
  inscription_index: Type.Boolean(),
  unrecoverably_reorged: Type.Boolean(),
})
export type OrdNumbering = Static<typeof Numbering>

const Inscription = Type.Object({
  id: Type.String(),
  number: Type.Integer(),
  height: Count,
  /** Unix seconds. */
  timestamp: Type.Integer(),
  satpoint: Type.String(),
  sat: Nullable(Count),
  value: Nullable(Count),
  charms: Type.Array(Type.String()),
  /** Share of the reveal transaction's fee, in sats. */
  fee: Count,
  parents: Type.Array(Type.String()),
  content_type: Type.Optional(Nullable(Type.String())),
  content_length: Type.Optional(Nullable(Count)),
})
export type OrdInscription = Static<typeof Inscription>

const Output = Type.Object({
  outpoint: Type.String(),
  script_pubkey: Type.String(),
  value: Count,
  confirmations: Count,
  /** False if ord has not indexed the output. */
  indexed: Type.Boolean(),
  inscriptions: Nullable(Type.Array(Type.String())),
  /** By name with spacers; null without a rune index. Amounts above MAX_SAFE_INTEGER are strings. */
  runes: Nullable(
    Type.Record(
      Type.String(),
      Type.Object({ amount: Type.Union([Count, Type.String()]), divisibility: Count }),
    ),
  ),
  sat_ranges: Nullable(Type.Array(Type.Tuple([Count, Count]))),
  spent: Type.Boolean(),
})
export type OrdOutput = Static<typeof Output>

export const status = reads(Status)
export const numbering = reads(Numbering)
export const hash = reads(Hash)
export const height = reads(Count)
export const inscriptions = reads(Type.Array(Inscription))
export const hex = reads(Type.String())
export const outputs = reads(Type.Array(Output))
/** A page of parents or children. */
export const relatives = reads(Type.Object({ ids: Type.Array(Type.String()), more: Type.Boolean() }))
export const onSat = reads(Type.Object({ id: Nullable(Type.String()) }))
export const inscription = reads(Type.Omit(Inscription, ['parents']))
export const recursiveOutput = reads(Type.Object({ inscriptions: Nullable(Type.Array(Type.String())) }))
