import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { SettlementKindName } from '@ordbook/contract/settlement-kinds.ts'
import type { Transaction } from '@ordbook/db/driver/connect.ts'
import type { IndexedBlock } from '@ordbook/indexer/blocks/follower.ts'
import type { Context } from '../context.ts'
import type { DependentOrders } from './dependent-orders.ts'
import type { SettlementRow } from './queries.ts'

/**
 * A kind of settlement, such as purchases or swaps: its feature's handlers for the fate of a package. Each handler runs in the
 * transaction that records the event. A new kind is an object of this type in the list of `settlement-kinds.ts`, and a row of the
 * table `settlement_kinds`, which a migration inserts.
 */
export interface SettlementKind {
  /** Its row in `settlement_kinds`. */
  name: SettlementKindName
  /** The orders that such settlements fulfil and that end while a coin which they depend on is spent. */
  orders: readonly DependentOrders[]
  /**
   * Returns the ids of its orders that were cancelled, according to the journals of signer and guardian. A stored package of such an order
   * is never sent for the first time, because it comes from a restored database.
   */
  revoked(
    context: Pick<Context, 'sql' | 'signer' | 'guardian' | 'clock'>,
    settlement: SettlementRow,
  ): Promise<string[]>
  /** The package was sent, or a block has it already. */
  sent?(tx: Transaction, settlement: SettlementRow, now: Date): Promise<void>
  /**
   * The package can never settle. `gone` are coins that another transaction spends, `refused` coins whose scripts reject a signature,
   * `revoked` its orders that were cancelled. Returns an additional reason for the client, or null.
   */
  failed(
    tx: Transaction,
    settlement: SettlementRow,
    why: {
      failure: string
      gone: readonly Outpoint[]
      refused: readonly Outpoint[]
      revoked: readonly string[]
      now: Date
    },
  ): Promise<string | null>
  /** A block has the settlement. */
  confirmed(tx: Transaction, settlement: SettlementRow, block: IndexedBlock): Promise<void>
}

/** The kinds of settlements that this server handles. */
export class SettlementKinds {
  /** The dependent orders of all kinds, each once. */
  readonly orders: readonly DependentOrders[]
  private readonly byName: ReadonlyMap<string, SettlementKind>

  constructor(kinds: readonly SettlementKind[]) {
    this.orders = [...new Set(kinds.flatMap((kind) => kind.orders))]
    this.byName = new Map(kinds.map((kind) => [kind.name, kind]))
  }

  get names(): string[] {
    return [...this.byName.keys()]
  }

  /** The kind of a settlement. Throws for an unknown name, which a newer release wrote. */
  of({ settlementId, kind }: Pick<SettlementRow, 'settlementId' | 'kind'>): SettlementKind {
    const found = this.byName.get(kind)
    if (!found)
      throw new Error(`settlement ${settlementId} is of the kind ${kind}, which this code does not know`)
    return found
  }
}

/** Context of code that sends settlements. The kinds come from features, which this module may not import. */
export interface SettlingContext extends Context {
  kinds: SettlementKinds
}
