import { buildStorefront } from '../../../scripts/start/build-storefront.ts'

/** Builds the storefront before the first test. */
export default async () => {
  await buildStorefront()
}
