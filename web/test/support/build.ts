import { buildStorefront } from '../../../scripts/start/build-storefront.ts'

/** The pages as they are served, built before the first test. */
export default async () => {
  await buildStorefront()
}
