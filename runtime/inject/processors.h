#ifndef SLACKLINE_INJECT_PROCESSORS_H
#define SLACKLINE_INJECT_PROCESSORS_H

/* Whether this host runs more ranks of the job than it has processors for them, as far as the
 * launcher says how many there are. Found out once. */
int has_too_few_processors(void);

#endif
