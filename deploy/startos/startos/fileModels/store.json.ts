import { FileHelper, z } from '@start9labs/start-sdk'
import { sdk } from '../sdk'

/** Settings of the owner, and generated values. */
const shape = z.object({
  databasePassword: z.string(),
  publicUrl: z.string().nullable().catch(null),
  marketName: z.string().catch('ordbook'),
  sellerFeeBps: z.number().catch(100),
  buyerFeeBps: z.number().catch(100),
  /** True after a restore until the next start. Restored keys have no journals. */
  isRestored: z.boolean().catch(false),
})

export const storeJson = FileHelper.json({ base: sdk.volumes.startos, subpath: '/store.json' }, shape)
