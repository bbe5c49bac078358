/** The deliveries of webhooks by kills of the service and of its workers, on PostgreSQL. */

process.env.TEST_DATABASE = 'postgres'

await import('../features/webhooks/kill.system.test.ts')

export {}
