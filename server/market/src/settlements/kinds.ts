import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { SettlementKindName } from '@ordbook/contract/settlement-kinds.ts'
import type { Transaction } from '@ordbook/db/driver/connect.ts'
import type { IndexedBlock } from '@ordbook/indexer/blocks/block-consumer.ts'
import type { Context } from '../context.ts'
import type { DependentOrders } from './dependent-orders.ts'
import type { SettlementRow } from './queries.ts'

/**
 * A kind of settlement, such as purchases or swaps. Each handler runs in the database transaction of its event. To add a kind, list it in
 * `settlement-kinds.ts` and insert a row into `settlement_kinds` in a migration.
 */
export interface SettlementKind {
  name: SettlementKindName
  /** Orders that these settlements fulfil. */
  orders: readonly DependentOrders[]
  /**
   * Returns the settlement's orders that the journals list as cancelled, after a restore. Such a package must not be broadcast for the
   * first time.
   */
  revoked(
    context: Pick<Context, 'sql' | 'signer' | 'guardian' | 'clock'>,
    settlement: SettlementRow,
  ): Promise<string[]>
  /** Called when the package was broadcast or has confirmed. */
  sent?(tx: Transaction, settlement: SettlementRow, now: Date): Promise<void>
  /**
   * Called when the package can never confirm. `gone` are spent coins, `refused` coins with an invalid signature, and `revoked` cancelled
   * orders. Returns a reason for the client.
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
  confirmed(tx: Transaction, settlement: SettlementRow, block: IndexedBlock): Promise<void>
}

export class SettlementKinds {
  /** Dependent orders of all kinds, without duplicates. */
  readonly orders: readonly DependentOrders[]
  private readonly byName: ReadonlyMap<string, SettlementKind>

  constructor(kinds: readonly SettlementKind[]) {
    this.orders = [...new Set(kinds.flatMap((kind) => kind.orders))]
    this.byName = new Map(kinds.map((kind) => [kind.name, kind]))
  }

  get names(): string[] {
    return [...this.byName.keys()]
  }

  /** Returns the kind of a settlement. Throws for the kind of a newer release. */
  of({ settlementId, kind }: Pick<SettlementRow, 'settlementId' | 'kind'>): SettlementKind {
    const handlers = this.byName.get(kind)
    if (!handlers)
      throw new Error(`settlement ${settlementId} has kind ${kind}, which this release does not support`)
    return handlers
  }
}

/** Context of code that broadcasts settlements. Injects the kinds, because this folder must not import features. */
export interface SettlingContext extends Context {
  kinds: SettlementKinds
}
