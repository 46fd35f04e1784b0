. tests/attack/common.sh
. tests/attack/hostile.sh
export STRATA_APP_WAIT_MS=1000
cp tests/attack/.flood $bin/flood; chmod 755 $bin/flood; begin fl --app all
victimise 60000 50
for h in 0 1; do
become $mallory $bin/flood "$STRATA_APP_SOCKET" 2000 $h >$work/flood$h 2>&1 & attackers+=($!)
await grep -q flooding $work/flood$h; sleep 2
for i in 1 2 3 4 5; do s=$(date +%s%N); as "$victim" $bin/victim 100 0; echo "start $h took $((($(date +%s%N)-s)/1000000)) ms"; done
tail -1 $work/flood$h
end_attacks; attackers=()
done
victim_ends
end_recording
echo status $status steps $(steps fl)
tail -5 $work/fl.log
