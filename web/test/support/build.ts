import { buildStorefront } from '../../../scripts/start/build-storefront.ts'

export default async () => {
  await buildStorefront()
}
