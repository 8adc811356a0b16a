import { fillKind } from './collection-offers/settlement-kind.ts'
import { offerSettlementKinds } from './offers/settlement-kind.ts'
import { swapKind } from './proposals/settlement-kind.ts'
import { purchaseKind } from './purchases/settlement-kind.ts'
import { SettlementKinds } from './settlements/kinds.ts'

export const settlementKinds = new SettlementKinds([
  purchaseKind,
  ...Object.values(offerSettlementKinds),
  fillKind,
  swapKind,
])
