/** The words of pages and parts that failed. */
export const failed = {
  page: 'This page did not load',
  notFound: 'There is no such page',
  toCollections: 'Explore collections',
  newVersion: 'The market may have been updated. Load the page again.',
} as const
