/** The names of the consumers. The list of features has an `EraseWork` for each. */
export type ConsumerName = 'webhooks' | 'after' | 'schedules' | 'jobs' | 'mails'
