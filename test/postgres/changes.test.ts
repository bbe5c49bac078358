/** Feeds, event streams, histories, the audit and webhooks, on PostgreSQL. */

process.env.TEST_DATABASE = 'postgres'

await import('../requests/events/feed.test.ts')
await import('../requests/events/events.test.ts')
await import('../features/history/history.test.ts')
await import('../requests/events/page-cost.test.ts')
await import('../features/audit/audit.test.ts')
await import('../features/webhooks/webhooks.test.ts')

export {}
