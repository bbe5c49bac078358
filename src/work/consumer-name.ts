/** The names of the consumers, for each of which the list of features has an `EraseWork`. */
export type ConsumerName = 'webhooks' | 'after' | 'schedules' | 'jobs' | 'mails'
