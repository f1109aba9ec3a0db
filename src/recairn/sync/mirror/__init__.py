"""A folder that holds a project's memories as files a person can read, compare and merge.

One file of JSON lines for each kind, one line a memory in the order of their uids; links and what
was forgotten in files of their own; decisions and patterns once more as Markdown. The database
writes into it after every change (`push`), and takes in what git brought (`pull`).

What two people add side by side git joins by itself (`merge=union`); two versions of one line both
stay, and `pull` makes one memory of them (`merge_rule`). A line that is missing says nothing:
nothing is ever forgotten because a file is gone.
"""
